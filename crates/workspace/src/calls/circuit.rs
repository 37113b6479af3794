//! Circuits: who cannot be reached, or only fails, several times in a row is left
//! alone for a while, so that nobody waits for it in vain.
//!
//! A provider that cannot be reached has one. That its server failed, or broke off, is
//! a matter of the model that was asked: behind many providers stand many servers. So
//! each model has one too, and its trouble is not that of another, say of the one that
//! answers in its place.
//!
//! Calls that go on at the same time and fail are one failure: none of them knew of the
//! others. After the pause one call goes through, and what becomes of it decides: who
//! has nobody else to ask waits for that. Where a person says that it is time, everybody
//! may try. Anything else that a provider says, a refusal too, shows that it is there.

use domain::Provider;
use llm::{ModelFault, Trouble};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// After so many failures in a row.
pub(crate) const IN_A_ROW: u32 = 5;
/// For so long.
pub(crate) const LEFT_ALONE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Default)]
pub(crate) struct Circuits {
    /// By the name of the provider, or of the model as `provider/model`.
    all: Arc<Mutex<HashMap<String, Circuit>>>,
    /// Somebody has found out, or found nothing.
    tried: Arc<Notify>,
}

/// What somebody meets who wants to ask.
#[derive(Debug)]
pub(crate) enum Way {
    Free,
    /// Left alone for so long, or, with nothing left, being tried by somebody. What is
    /// said to who does not wait.
    Shut(ModelFault, Duration),
}

#[derive(Debug)]
struct Circuit {
    /// A provider that has been changed is another one.
    provider: Provider,
    /// In a row.
    failures: u32,
    /// How often it was noted that it failed, ever.
    noted: u64,
    /// Nobody is asked before this.
    opens: Option<Instant>,
    /// Somebody is finding out.
    probing: bool,
    /// What the last one that failed said.
    why: Option<ModelFault>,
}

/// May be asked. What comes of it is to be told; dropping it says nothing.
#[derive(Debug)]
pub(crate) struct Pass {
    provider: Through,
    model: Through,
}

/// The way through one circuit.
#[derive(Debug)]
struct Through {
    circuits: Circuits,
    name: String,
    probes: bool,
    /// How many failures had been noted when the call began.
    noted: u64,
}

impl Circuits {
    /// Takes nobody's turn: who asks may still have to wait for something else. The
    /// model is named `provider/model`.
    pub(crate) fn look(&self, provider: &Provider, model: &str) -> Way {
        let all = self.lock();
        for name in [&provider.name, model] {
            let Some(circuit) = all.get(name) else { continue };
            let known = circuit.opens.filter(|_| circuit.provider == *provider);
            let Some(opens) = known else { continue };
            let left = opens.saturating_duration_since(Instant::now());
            if circuit.probing || !left.is_zero() {
                return Way::Shut(circuit.refusal(name, left), left);
            }
        }
        Way::Free
    }

    /// Returns when one may ask; fails where somebody did meanwhile, and found that
    /// nobody is there.
    pub(crate) async fn found_out(
        &self,
        provider: &Provider,
        model: &str,
    ) -> Result<(), ModelFault> {
        let mut least = None;
        loop {
            // Hears what happens from here on, also between the look and the wait.
            let tried = self.tried.notified();
            let Way::Shut(fault, left) = self.look(provider, model) else { return Ok(()) };
            if least.is_some_and(|least| left > least) {
                return Err(fault);
            }
            least = Some(left);
            tokio::select! {
                () = tried => {}
                () = tokio::time::sleep(left), if !left.is_zero() => {}
            }
        }
    }

    /// For a call that begins now. Fails for what is left alone.
    pub(crate) fn enter(&self, provider: &Provider, model: &str) -> Result<Pass, ModelFault> {
        let way = self.through(provider, &provider.name)?;
        Ok(Pass { provider: way, model: self.through(provider, model)? })
    }

    fn through(&self, provider: &Provider, name: &str) -> Result<Through, ModelFault> {
        let mut all = self.lock();
        let circuit = all
            .entry(name.to_owned())
            .and_modify(|known| {
                if known.provider != *provider {
                    *known = Circuit::closed(provider);
                }
            })
            .or_insert_with(|| Circuit::closed(provider));
        let noted = circuit.noted;
        let through =
            |probes| Through { circuits: self.clone(), name: name.to_owned(), probes, noted };
        let Some(opens) = circuit.opens else { return Ok(through(false)) };
        let left = opens.saturating_duration_since(Instant::now());
        if left.is_zero() && !circuit.probing {
            circuit.probing = true;
            return Ok(through(true));
        }
        Err(circuit.refusal(name, left))
    }

    /// Whoever is left alone may be asked by everybody: a person says that it is time.
    /// The next failure closes the way again.
    pub(crate) fn give_a_chance(&self) {
        for circuit in self.lock().values_mut() {
            circuit.opens = None;
        }
        self.tried.notify_waiters();
    }

    /// For how long a provider is still left alone, if it is.
    pub(crate) fn left_alone(&self, provider: &str) -> Option<Duration> {
        let opens = self.lock().get(provider)?.opens?;
        Some(opens.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Circuit>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circuit {
    fn closed(provider: &Provider) -> Self {
        Circuit {
            provider: provider.clone(),
            failures: 0,
            noted: 0,
            opens: None,
            probing: false,
            why: None,
        }
    }

    fn refusal(&self, name: &str, left: Duration) -> ModelFault {
        let seconds = left.as_secs_f64().ceil();
        let why = self.why.as_ref();
        let said = why.map_or(String::new(), |fault| format!(": {}", fault.message));
        let fix = why.map_or("wait a little, then try again", |fault| &fault.fix);
        let (trouble, lately, did) = match why.map(|fault| fault.trouble) {
            Some(Trouble::ServerError) => {
                (Trouble::ServerError, "has only failed lately", "failed")
            }
            Some(Trouble::BrokenAnswer) => {
                (Trouble::BrokenAnswer, "has only broken off lately", "broke off")
            }
            _ => (Trouble::Unreachable, "has not been reached lately", "was not reached"),
        };
        let message = if left.is_zero() {
            format!("{name} {lately}, and somebody is trying it now{said}")
        } else {
            format!(
                "{name} {did} {} times in a row and is left alone for {seconds} s{said}",
                self.failures
            )
        };
        ModelFault { unasked: true, ..ModelFault::new(trouble, message, fix) }
    }
}

impl Pass {
    /// It said something of use.
    pub(crate) fn reached(self) {
        self.provider.closes();
        self.model.closes();
    }

    /// Nothing but this came.
    pub(crate) fn failed(self, fault: &ModelFault) {
        match fault.trouble {
            Trouble::Unreachable => self.provider.fails(fault),
            Trouble::ServerError | Trouble::BrokenAnswer => {
                self.provider.closes();
                self.model.fails(fault);
            }
            // Nobody was asked.
            Trouble::Budget { .. } => drop(self),
            Trouble::Endless
            | Trouble::Busy { .. }
            | Trouble::Key
            | Trouble::UnknownModel
            | Trouble::TooLong
            | Trouble::Refused
            | Trouble::Engine
            | Trouble::ModelFile => self.reached(),
        }
    }
}

impl Through {
    fn closes(mut self) {
        self.probes = false;
        if let Some(circuit) = self.circuits.lock().get_mut(&self.name) {
            (circuit.failures, circuit.opens, circuit.probing) = (0, None, false);
        }
        self.circuits.tried.notify_waiters();
    }

    fn fails(mut self, why: &ModelFault) {
        let probed = std::mem::take(&mut self.probes);
        if let Some(circuit) = self.circuits.lock().get_mut(&self.name) {
            let is_news = circuit.noted == self.noted;
            if is_news {
                circuit.failures += 1;
                circuit.noted += 1;
            }
            if probed {
                circuit.probing = false;
            }
            circuit.why = Some(why.clone());
            if probed || (is_news && circuit.failures >= IN_A_ROW) {
                circuit.opens = Some(Instant::now() + LEFT_ALONE);
            }
        }
        self.circuits.tried.notify_waiters();
    }
}

impl Drop for Through {
    fn drop(&mut self) {
        if self.probes
            && let Some(circuit) = self.circuits.lock().get_mut(&self.name)
        {
            circuit.probing = false;
        }
        self.circuits.tried.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ProviderKind;

    fn provider(base_url: &str) -> Provider {
        Provider {
            name: "acme".into(),
            kind: ProviderKind::Openai,
            base_url: Some(base_url.into()),
            key_env: None,
            key: None,
            models: Vec::new(),
        }
    }

    fn away() -> ModelFault {
        ModelFault::new(Trouble::Unreachable, "nobody listens there", "start acme")
    }

    fn fail(circuits: &Circuits, times: u32) {
        for _ in 0..times {
            circuits.enter(&provider("a"), "acme/one").expect("is asked").failed(&away());
        }
    }

    fn is_shut(circuits: &Circuits, base_url: &str, model: &str) -> bool {
        matches!(circuits.look(&provider(base_url), model), Way::Shut(..))
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_go_on_at_the_same_time_fail_once() {
        let circuits = Circuits::default();
        let enter = || circuits.enter(&provider("a"), "acme/one").expect("is asked");
        let together: Vec<Pass> = (0..2 * IN_A_ROW).map(|_| enter()).collect();
        for pass in together {
            pass.failed(&away());
        }
        fail(&circuits, IN_A_ROW - 2);
        let (late, last) = (enter(), enter());
        last.failed(&away());
        late.failed(&away());
        assert!(is_shut(&circuits, "a", "acme/one"), "five times, one after another");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_asks_after_the_pause_or_hears_what_came_of_it() {
        let (circuits, acme) = (Circuits::default(), provider("a"));
        fail(&circuits, IN_A_ROW);
        let mut waits = Box::pin(circuits.found_out(&acme, "acme/one"));
        assert!(futures::poll!(&mut waits).is_pending());
        assert!(waits.await.is_ok(), "nobody else tries");
        let one = circuits.enter(&acme, "acme/one").expect("one may try");
        let mut waits = Box::pin(circuits.found_out(&acme, "acme/one"));
        assert!(futures::poll!(&mut waits).is_pending());
        one.failed(&away());
        assert!(waits.await.expect_err("nobody is there").unasked);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_not_reached_five_times_in_a_row_is_left_alone_for_a_while() {
        let circuits = Circuits::default();
        fail(&circuits, IN_A_ROW - 1);
        circuits.enter(&provider("a"), "acme/one").expect("is asked").reached();
        fail(&circuits, IN_A_ROW);
        let fault = circuits.enter(&provider("a"), "acme/one").expect_err("is left alone");
        assert_eq!(fault.trouble, Trouble::Unreachable);
        assert_eq!(
            fault.message,
            "acme was not reached 5 times in a row and is left alone for 30 s: nobody listens there"
        );
        assert_eq!(fault.fix, "start acme");
        assert_eq!(circuits.left_alone("acme"), Some(LEFT_ALONE));
        tokio::time::advance(LEFT_ALONE).await;
        assert!(circuits.enter(&provider("a"), "acme/one").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_whose_server_only_fails_is_left_alone_and_no_other() {
        let circuits = Circuits::default();
        let down = ModelFault::new(Trouble::ServerError, "acme failed (503)", "look at its log");
        for _ in 0..IN_A_ROW {
            circuits.enter(&provider("a"), "acme/one").expect("is asked").failed(&down);
        }
        let fault = circuits.enter(&provider("a"), "acme/one").expect_err("is left alone");
        assert_eq!(fault.trouble, Trouble::ServerError);
        assert_eq!(
            fault.message,
            "acme/one failed 5 times in a row and is left alone for 30 s: acme failed (503)"
        );
        assert!(is_shut(&circuits, "a", "acme/one"));
        assert!(!is_shut(&circuits, "a", "acme/two"));
        circuits.enter(&provider("a"), "acme/two").expect("it is another one").reached();
        assert!(circuits.enter(&provider("a"), "acme/one").is_err());
        assert_eq!(circuits.left_alone("acme"), None);
        tokio::time::advance(LEFT_ALONE).await;
        let refused = ModelFault::new(Trouble::Refused, "it wants other words", "say it so");
        circuits.enter(&provider("a"), "acme/one").expect("one may try").failed(&refused);
        assert!(circuits.enter(&provider("a"), "acme/one").is_ok(), "it works");
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_whose_answers_break_off_is_left_alone_and_no_other() {
        let circuits = Circuits::default();
        let broken =
            ModelFault::new(Trouble::BrokenAnswer, "acme stopped in the middle", "ask again");
        for _ in 0..IN_A_ROW {
            circuits.enter(&provider("a"), "acme/one").expect("is asked").failed(&broken);
        }
        let fault = circuits.enter(&provider("a"), "acme/one").expect_err("is left alone");
        assert_eq!(
            fault.message,
            "acme/one broke off 5 times in a row and is left alone for 30 s: acme stopped in the middle"
        );
        assert!(circuits.enter(&provider("a"), "acme/two").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_is_not_reached_is_left_alone_with_all_its_models() {
        let circuits = Circuits::default();
        fail(&circuits, IN_A_ROW);
        assert!(is_shut(&circuits, "a", "acme/two"));
        assert!(circuits.enter(&provider("a"), "acme/two").is_err());
        tokio::time::advance(LEFT_ALONE).await;
        // Who may try for the provider and then cannot, leaves the try to others.
        let down = ModelFault::new(Trouble::ServerError, "acme failed (503)", "look at its log");
        circuits.enter(&provider("a"), "acme/two").expect("one may try").failed(&down);
        assert!(circuits.enter(&provider("a"), "acme/one").is_ok(), "somebody is there");
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_pause_one_goes_ahead_and_decides_for_all() {
        let circuits = Circuits::default();
        fail(&circuits, IN_A_ROW);
        tokio::time::advance(LEFT_ALONE).await;
        let first = circuits.enter(&provider("a"), "acme/one").expect("one may try");
        assert!(circuits.enter(&provider("a"), "acme/one").is_err(), "the others wait for it");
        first.failed(&away());
        assert!(circuits.enter(&provider("a"), "acme/one").is_err(), "closed for another while");
        tokio::time::advance(LEFT_ALONE).await;
        let second = circuits.enter(&provider("a"), "acme/one").expect("one may try");
        drop(second);
        let third = circuits.enter(&provider("a"), "acme/one").expect("the one before was stopped");
        third.reached();
        assert!(
            circuits.enter(&provider("a"), "acme/one").is_ok()
                && circuits.enter(&provider("a"), "acme/one").is_ok()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn who_only_looks_keeps_nobody_from_trying() {
        let circuits = Circuits::default();
        fail(&circuits, IN_A_ROW);
        assert!(is_shut(&circuits, "a", "acme/one"));
        assert!(!is_shut(&circuits, "b", "acme/one"), "it is somebody else now");
        tokio::time::advance(LEFT_ALONE).await;
        assert!(!is_shut(&circuits, "a", "acme/one") && !is_shut(&circuits, "a", "acme/one"));
        let one = circuits.enter(&provider("a"), "acme/one").expect("one may try");
        assert!(is_shut(&circuits, "a", "acme/one"), "the others wait for it");
        one.reached();
        assert!(!is_shut(&circuits, "a", "acme/one"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_who_tries_again_or_corrects_the_address_need_not_wait() {
        let circuits = Circuits::default();
        fail(&circuits, IN_A_ROW);
        assert!(circuits.enter(&provider("b"), "acme/one").is_ok(), "it is somebody else now");
        fail(&circuits, IN_A_ROW);
        circuits.give_a_chance();
        let try_it = || circuits.enter(&provider("a"), "acme/one");
        let (one, another) = (try_it().expect("may try"), try_it().expect("may try too"));
        one.failed(&away());
        assert!(try_it().is_err(), "nobody is there still");
        another.reached();
        assert!(try_it().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn who_meets_somebody_who_is_finding_out_waits_for_what_they_find() {
        let ends: [(fn(Pass), bool); 3] =
            [(Pass::reached, true), (drop, true), (|pass| pass.failed(&away()), false)];
        for (ends, is_free) in ends {
            let (circuits, acme) = (Circuits::default(), provider("a"));
            fail(&circuits, IN_A_ROW);
            tokio::time::advance(LEFT_ALONE).await;
            let one = circuits.enter(&acme, "acme/one").expect("one may try");
            let mut waits = Box::pin(circuits.found_out(&acme, "acme/one"));
            assert!(futures::poll!(&mut waits).is_pending());
            ends(one);
            assert_eq!(waits.await.is_ok(), is_free);
        }
    }
}
