//! The configuration with which a second kube-scheduler calls the extender.

use serde_json::Value;

/// The least weight by which the choice of the extender outweighs all other plugins: two nodes differ by at least 1 of 10, which
/// counts weight × 10 points, and the default plugins give a node at most 1,200.
const WEIGHT: u32 = 200;

/// Where kube-scheduler looks for certificates and its key. While a file is absent it does not start.
const CA_FILE: &str = "/etc/crossover/ca.pem";
const CERTIFICATE_FILE: &str = "/etc/crossover/kube-scheduler.pem";
const KEY_FILE: &str = "/etc/crossover/kube-scheduler.key";

/// What the configuration names.
pub(crate) struct Configuration<'a> {
    /// `http://127.0.0.1:8888`
    pub(crate) url: &'a str,
    /// Whether the extender lets in only clients with a certificate.
    pub(crate) needs_certificate: bool,
    /// Resources of nodes: only pods that request one of them are sent. Empty: all pods are.
    pub(crate) managed: &'a [String],
    /// Further resources, which no node offers by itself, so that kube-scheduler must not look for them.
    pub(crate) ignored: &'a [String],
}

impl Configuration<'_> {
    /// As YAML.
    pub(crate) fn text(&self) -> String {
        // A JSON string is one of YAML too.
        let quoted = |text: &str| Value::from(text).to_string();
        let is_encrypted = self.url.starts_with("https:");
        let mut text = format!(
            "# For a second kube-scheduler: pods with `schedulerName: crossover` are scheduled by it.\n\
             # kube-scheduler --config THIS_FILE, with clientConnection.kubeconfig where it runs outside the cluster.\n\
             apiVersion: kubescheduler.config.k8s.io/v1\n\
             kind: KubeSchedulerConfiguration\n\
             # Else only some of the nodes of a large cluster are sent, and the policy does not see the best one.\n\
             percentageOfNodesToScore: 100\n\
             leaderElection:\n\
             \x20 leaderElect: true\n\
             \x20 resourceName: crossover-scheduler\n\
             profiles:\n\
             \x20 - schedulerName: crossover\n\
             extenders:\n\
             \x20 - urlPrefix: {}\n\
             \x20   filterVerb: filter\n\
             \x20   prioritizeVerb: prioritize\n\
             \x20   # Only latency-sensitive pods evict others.\n\
             \x20   preemptVerb: preempt\n\
             \x20   bindVerb: bind\n\
             \x20   # The choice of the policy outweighs the scores of all default plugins.\n\
             \x20   weight: {WEIGHT}\n\
             \x20   enableHTTPS: {}\n\
             \x20   httpTimeout: 15s\n\
             \x20   # Names of nodes are sent, not whole nodes.\n\
             \x20   nodeCacheCapable: true\n\
             \x20   ignorable: false\n",
            quoted(self.url),
            is_encrypted,
        );
        if is_encrypted {
            text.push_str(&format!(
                "    # Files where kube-scheduler runs. Without caFile it would accept any server.\n\
                 \x20   tlsConfig:\n\
                 \x20     caFile: {CA_FILE}\n"
            ));
            if self.needs_certificate {
                text.push_str(&format!("      certFile: {CERTIFICATE_FILE}\n      keyFile: {KEY_FILE}\n"));
            }
        }
        if !(self.managed.is_empty() && self.ignored.is_empty()) {
            text.push_str("    managedResources:\n");
        }
        for (names, is_ignored) in [(self.managed, false), (self.ignored, true)] {
            for name in names {
                text.push_str(&format!("      - name: {}\n        ignoredByScheduler: {is_ignored}\n", quoted(name)));
            }
        }
        text
    }
}
