//! What the one list of the kinds of studies makes: the study of a scenario, its kind, and the ways to either.

/// Makes `Study` and `Kind` of the list of kinds.
macro_rules! kinds {
    ($($(#[doc = $meaning:literal])+ $study:ident($key:literal, $get:ident, $get_mut:ident) => $type:path),+ $(,)?) => {
        /// What a scenario is about.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Study {
            $($(#[doc = $meaning])+ $study($type),)+
        }

        /// The kind of a study.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[doc = $meaning])+ $study,)+
        }

        impl Kind {
            /// All kinds, in the order of menus.
            pub const ALL: [Self; [$($key),+].len()] = [$(Self::$study),+];

            /// Name for programs.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$study => $key,)+
                }
            }

            /// The question that studies of this kind answer.
            #[must_use]
            pub fn question(self) -> &'static str {
                match self {
                    $(Self::$study => concat!($($meaning),+).trim_ascii_start(),)+
                }
            }

            /// Name in files.
            fn variant(self) -> &'static str {
                match self {
                    $(Self::$study => stringify!($study),)+
                }
            }

            /// What studies of this kind consist of.
            #[must_use]
            pub fn fields(self) -> &'static [Field] {
                match self {
                    $(Self::$study => <$type>::FIELDS,)+
                }
            }
        }

        impl Study {
            /// What kind of study it is.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$study(_) => Kind::$study,)+
                }
            }

            /// The study, of whatever kind.
            #[must_use]
            pub fn subject(&self) -> &dyn Subject {
                match self {
                    $(Self::$study(study) => study,)+
                }
            }

            /// The study, of whatever kind, to be changed.
            pub fn subject_mut(&mut self) -> &mut dyn Subject {
                match self {
                    $(Self::$study(study) => study,)+
                }
            }

            $(
                #[doc = concat!("The ", $key, " study, if it is one.")]
                #[must_use]
                pub fn $get(&self) -> Option<&$type> {
                    match self {
                        Self::$study(study) => Some(study),
                        _ => None,
                    }
                }

                #[doc = concat!("The ", $key, " study, if it is one, to be changed.")]
                pub fn $get_mut(&mut self) -> Option<&mut $type> {
                    match self {
                        Self::$study(study) => Some(study),
                        _ => None,
                    }
                }
            )+
        }

        impl Scenario {
            $(
                #[doc = concat!("The ", $key, " study, if the scenario is about one.")]
                #[must_use]
                pub fn $get(&self) -> Option<&$type> {
                    self.study.$get()
                }
            )+
        }
    };
}

pub(super) use kinds;
