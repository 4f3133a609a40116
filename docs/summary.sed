# What docs/reproduction.md and docs/validation.md keep of `reproduce --format markdown`: all before the first study.
/^## [a-z]/ {
    s/.*/The figures of a study, published and computed: `zerohop reproduce STUDY`./p
    :study
    n
    b study
}
p
