//! Waiting times at shared stations: closed forms of mean-value analysis, with the residual of a deterministic
//! service.

/// The arrivals at a queue.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Load {
    /// Packets per ns.
    pub(crate) rate: f64,
    /// Share of time that they occupy the server, and its mean square: rate times the squared service.
    pub(crate) work: f64,
    pub(crate) square: f64,
}

impl Load {
    pub(crate) fn add(&mut self, rate: f64, service: f64) {
        let work = rate * service;
        self.rate += rate;
        self.work += work;
        self.square += work * service;
    }

    /// Mean service of a packet.
    pub(crate) fn service(&self) -> f64 {
        if self.rate > 0.0 { self.work / self.rate } else { 0.0 }
    }
}

/// Packets of another queue that are served before one that finds `own` packets ahead of it in its own queue, where
/// the two queues take turns: all that wait, `other`, or as many as get their turn until then, of which `ahead` are
/// committed already; both vary, so the mean is below either where they are close.
pub(crate) fn turns(other: f64, own: f64, ahead: f64) -> f64 {
    if other <= 0.0 {
        return 0.0;
    }
    let ratio = other / (own + ahead);
    other / (1.0 + ratio * ratio).sqrt()
}

/// Mean number of messages that return `owed` credits, where each returns up to three and `owed` is the mean of a
/// Poisson variable: close to a third of them where there are many, and one each where there are few.
pub(crate) fn messages(owed: f64) -> f64 {
    owed / 3.0 + (1.0 - libm::exp(-2.0 * owed)) / 3.0
}

/// Share of arrivals that find all `servers` busy, at that mean utilization.
///
/// H. Sakasegawa, "An Approximation Formula L_q = alpha rho^beta / (1 - rho)", Annals of the Institute of Statistical
/// Mathematics 29, 1977.
pub(crate) fn all_taken(share: f64, servers: f64) -> f64 {
    let power = (2.0 * (servers + 1.0)).sqrt() - 1.0;
    // `pow` is right to the last bit and slower, which an approximation does not need.
    libm::exp(power * libm::log(share.clamp(0.0, 1.0)))
}
