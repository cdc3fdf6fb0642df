//! The address of a centre: which transport reaches it, and where.

use std::fmt;
use std::str::FromStr;

/// The address of a centre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A process on this machine.
    Local,
    /// Jobs of Slurm, in a partition if one is named.
    Slurm(Option<String>),
    /// A host that the OpenSSH client reaches.
    Ssh(String),
    /// Jobs of Kubernetes, in a context of kubectl if one is named.
    Kubernetes(Option<String>),
}

/// Which transport reaches a centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TransportKind {
    /// A process on this machine.
    #[default]
    Local,
    /// Jobs of Slurm.
    Slurm,
    /// A host over SSH.
    Ssh,
    /// Jobs of Kubernetes.
    Kubernetes,
}

impl TransportKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Local, Self::Slurm, Self::Ssh, Self::Kubernetes];

    /// The label on a page.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Local => "this machine",
            Self::Slurm => "Slurm",
            Self::Ssh => "SSH host",
            Self::Kubernetes => "Kubernetes",
        }
    }

    /// What its place is called; none: it has one place.
    pub(crate) fn place(self) -> Option<&'static str> {
        match self {
            Self::Local => None,
            Self::Slurm => Some("partition"),
            Self::Ssh => Some("host"),
            Self::Kubernetes => Some("context"),
        }
    }

    /// The address of a place, which is read as on the command line; empty: the default of the transport.
    ///
    /// # Errors
    /// A host is not named, or a name could be an option of a command; a sentence.
    pub(crate) fn address(self, place: &str) -> Result<Address, String> {
        let place = match place.trim() {
            "" => String::new(),
            place => format!(":{place}"),
        };
        match self {
            Self::Local => Ok(Address::Local),
            Self::Slurm => format!("slurm{place}").parse(),
            Self::Ssh if place.is_empty() => Err("Name the host, for example login.example.org".to_owned()),
            Self::Ssh => format!("ssh{place}").parse(),
            Self::Kubernetes => format!("kubernetes{place}").parse(),
        }
    }
}

/// The forms of an address.
pub(crate) const FORMS: &str = "local, slurm, slurm:PARTITION, ssh:HOST, kubernetes or kubernetes:CONTEXT";

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (transport, place) = match text.split_once(':') {
            Some((transport, place)) => (transport, Some(place)),
            None => (text, None),
        };
        // No option of a command begins it, and no control character or space stands in it.
        let is_name = |place: &str| {
            !place.is_empty() && !place.starts_with('-') && !place.chars().any(|c| c.is_whitespace() || c.is_control())
        };
        if let Some(place) = place.filter(|place| !is_name(place)) {
            return Err(format!("“{place}” is not a name; expected {FORMS}"));
        }
        match (transport, place.map(str::to_owned)) {
            ("local", None) => Ok(Self::Local),
            ("slurm", partition) => Ok(Self::Slurm(partition)),
            ("ssh", Some(host)) => Ok(Self::Ssh(host)),
            ("kubernetes", context) => Ok(Self::Kubernetes(context)),
            ("ssh", None) => Err("ssh needs a host, such as ssh:login.example.org".to_owned()),
            _ => Err(format!("unknown transport “{text}”; expected {FORMS}")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => formatter.write_str("on this machine"),
            Self::Slurm(None) => formatter.write_str("through Slurm"),
            Self::Slurm(Some(partition)) => write!(formatter, "through Slurm, partition {partition}"),
            Self::Ssh(host) => write!(formatter, "over SSH, host {host}"),
            Self::Kubernetes(None) => formatter.write_str("through Kubernetes"),
            Self::Kubernetes(Some(context)) => write!(formatter, "through Kubernetes, context {context}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_transport_and_a_name() {
        for (text, expected) in [
            ("local", Address::Local),
            ("slurm", Address::Slurm(None)),
            ("slurm:short", Address::Slurm(Some("short".to_owned()))),
            ("ssh:me@north", Address::Ssh("me@north".to_owned())),
            ("kubernetes:west", Address::Kubernetes(Some("west".to_owned()))),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_could_be_an_option_of_a_command_is_no_address() {
        for text in [
            "ssh",
            "ssh:",
            "ssh:-oProxyCommand=touch x",
            "ssh:a b",
            "slurm:--wrap=x",
            "kubernetes:\n",
            "local:x",
            "pbs",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
