"""A test of ReFrame (4.0 or later) that checks the memory of a node against a baseline.

    reframe -C settings.py -c zerohop_check.py -r --exec-policy=serial -S zerohop_baseline=/etc/zerohop/baseline.json
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class ZerohopCheck(rfm.RunOnlyRegressionTest):
    zerohop_baseline = variable(str, value="/etc/zerohop/baseline.json")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "zerohop"
    num_tasks = 1
    exclusive_access = True

    @run_before("run")
    def name_baseline(self):
        # Its exit status says what the sanity pattern says: a bad node is no failure of the job.
        self.executable_opts = ["check", "--baseline", self.zerohop_baseline, "--format", "reframe", "|| [ $? -eq 1 ]"]

    @sanity_function
    def as_usual(self):
        # A bad value says so first; where nothing is ok, zerohop could not tell.
        return sn.all([sn.assert_not_found(r"\(bad\)$", self.stdout), sn.assert_found(r"\(ok\)$", self.stdout)])

    @run_before("performance")
    def read_values(self):
        line = r"^(?P<name>\w+): (?P<value>[0-9.]+) (?P<unit>\S+) \((?:ok|bad)\)$"
        # Hooks run outside of the stage directory.
        stdout = os.path.join(self.stagedir, sn.evaluate(self.stdout))
        found = sn.evaluate(sn.extractall(line, stdout, ("name", "value", "unit"), (str, float, str)))
        make = sn.make_performance_function
        self.perf_variables = {name: make(sn.defer(value), unit) for name, value, unit in found}
