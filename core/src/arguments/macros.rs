//! `arguments!`: a macro takes the declaration apart; what it means is in functions and constants elsewhere.

/// Declares the arguments of a tool: a struct, whose JSON Schema and reading come with it.
///
/// ```
/// umcp::arguments! {
///     /// How to blink.
///     #[derive(Debug, PartialEq)]
///     pub struct Blink<'a> {
///         /// How many times.
///         pub times: u8 in 1..=20,
///         /// Milliseconds of each half.
///         pub period_ms as "periodMs": u32 in 10..=1000 = 100,
///         /// How bright.
///         pub mode: Mode = Mode::Full,
///         /// What to say meanwhile.
///         pub note: Option<&'a str>,
///     }
///
///     #[derive(Debug, PartialEq)]
///     pub enum Mode {
///         /// What lights a room.
///         Full as "full",
///         Half as "half",
///     }
/// }
///
/// use umcp::arguments::{Arguments, read};
///
/// let mut text = br#"{"times":3,"mode":"half"}"#.to_owned();
/// let blink: Blink = read(&mut text).unwrap();
/// assert_eq!(blink, Blink { times: 3, period_ms: 100, mode: Mode::Half, note: None });
///
/// let mut text = br#"{"times":30}"#.to_owned();
/// assert_eq!(read::<Blink>(&mut text).unwrap_err().to_string(), "`times`: expected an integer from 1 to 20");
///
/// assert!(Blink::SCHEMA.starts_with(r#"{"description":"How to blink.","type":"object","properties":{"times":{"#));
/// assert!(Blink::SCHEMA.ends_with(r#""required":["times"]}"#));
/// ```
///
/// It is Rust's `struct` and `enum` with three additions:
/// - `as "name"` behind a member or a variant: its name in JSON, where that is another one.
/// - `in low..=high` behind the type of a number, or an `Option` of one. Both limits are whole numbers, also those of a `Decimal`, that an `i64` holds:
///   literals or names of constants, and anything else in parentheses.
/// - `= value` at the end: the default, a constant. It can be declared for `bool`, numbers, `&str` and enums.
///
/// Doc comments of the struct and of its members are their descriptions, the lines joined by spaces. Other attributes are those of the Rust
/// items (`cfg` cannot be one of a member). What types there are, and what is read as what, says the [module](mod@crate::arguments).
///
/// # Mistakes
/// They end compilation: a limit or a default that the type or the limits do not admit,
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: u8 in 1..=300 } }
/// ```
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: u8 in 20..=1 } }
/// ```
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: u8 in 1..=20 = 0 } }
/// ```
/// limits of what is no number, or that are no whole numbers,
/// ```compile_fail
/// umcp::arguments! { struct Blink { fast: bool in 0..=1 } }
/// ```
/// ```compile_fail
/// umcp::arguments! { struct Blink { celsius: umcp::json::Decimal in 0.5..=1.5 } }
/// ```
/// a default of a type that takes none, two members of one name,
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: Option<u8> = Some(1) } }
/// ```
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: u8, count as "times": u8 } }
/// ```
/// and a type that cannot be an argument, or an item.
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: Option<[Option<u8>; 2]> } }
/// ```
/// ```compile_fail
/// umcp::arguments! { struct Blink { times: f32 } }
/// ```
#[macro_export]
macro_rules! arguments {
    () => {};
    (
        $(#[$($attribute:tt)*])* $vis:vis struct $name:ident $(<$life:lifetime>)? { $($members:tt)* }
        $($more:tt)*
    ) => {
        $crate::__arguments_members! {
            { $(#[$($attribute)*])* $vis struct $name $(<$life>)? } { } $($members)* ,
        }
        $crate::arguments! { $($more)* }
    };
    (
        $(#[$($attribute:tt)*])* $vis:vis enum $name:ident {
            $( $(#[$($about:tt)*])* $variant:ident $(as $text:literal)? ),+ $(,)?
        }
        $($more:tt)*
    ) => {
        $(#[$($attribute)*])*
        $vis enum $name { $( $(#[$($about)*])* $variant, )+ }

        impl $name {
            const __NAMES: &'static [&'static str] = &[ $( $crate::__arguments_name!($variant $($text)?) ),+ ];

            #[doc(hidden)]
            $vis const fn __constant(self) -> $crate::arguments::Constant {
                $crate::arguments::Constant::String(match self {
                    $( $name::$variant => $crate::__arguments_name!($variant $($text)?), )+
                })
            }
        }

        impl<'a> $crate::arguments::Argument<'a> for $name {
            const SHAPE: $crate::arguments::Shape =
                $crate::arguments::Shape::one_of(&[ $( $crate::__arguments_about!($($attribute)*) ),* ], $name::__NAMES);
            type Literal = $name;

            fn read(
                reader: &mut $crate::json::Reader<'a>,
                _: ::core::option::Option<&'static $crate::json::Limits>,
            ) -> ::core::result::Result<$name, $crate::json::ReadError> {
                let name = $crate::arguments::read_name(reader, $name::__NAMES)?;
                $( if name == $crate::__arguments_name!($variant $($text)?) {
                    return ::core::result::Result::Ok($name::$variant);
                } )+
                ::core::result::Result::Err($crate::arguments::unknown_name($name::__NAMES))
            }
        }

        $crate::arguments! { $($more)* }
    };
}

/// Takes members of a struct one by one into the form `{ [attributes] visibility name [its name in JSON] [type] [limits] [default] }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_members {
    ({ $($struct:tt)* } { $($done:tt)* } $(,)?) => {
        $crate::__arguments_struct! { $($struct)* { $($done)* } }
    };
    // Limits that are literals.
    (
        $struct:tt { $($done:tt)* }
        $(#[$($attribute:tt)*])* $vis:vis $name:ident $(as $text:literal)? :
        $($number:ident)::+ $(<$($inner:ident)::+>)? in $low:literal ..= $high:literal $(= $default:expr)?, $($more:tt)*
    ) => {
        $crate::__arguments_members! {
            $struct
            { $($done)* {
                [$([$($attribute)*])*] $vis $name [$($text)?] [$($number)::+ $(<$($inner)::+>)?] [$low, $high] [$($default)?]
            } }
            $($more)*
        }
    };
    // Limits that are constants of any type of integers. (A float cannot be negated bit by bit.)
    (
        $struct:tt { $($done:tt)* }
        $(#[$($attribute:tt)*])* $vis:vis $name:ident $(as $text:literal)? :
        $($number:ident)::+ $(<$($inner:ident)::+>)? in $low:tt ..= $high:tt $(= $default:expr)?, $($more:tt)*
    ) => {
        $crate::__arguments_members! {
            $struct
            { $($done)* {
                [$([$($attribute)*])*] $vis $name [$($text)?] [$($number)::+ $(<$($inner)::+>)?] [!!$low as i128, !!$high as i128]
                [$($default)?]
            } }
            $($more)*
        }
    };
    (
        $struct:tt { $($done:tt)* }
        $(#[$($attribute:tt)*])* $vis:vis $name:ident $(as $text:literal)? : $type:ty $(= $default:expr)?, $($more:tt)*
    ) => {
        $crate::__arguments_members! {
            $struct
            { $($done)* { [$([$($attribute)*])*] $vis $name [$($text)?] [$type] [] [$($default)?] } }
            $($more)*
        }
    };
    ($struct:tt $done:tt $($more:tt)*) => {
        compile_error!(concat!(
            "arguments!: a member is `name: Type`, with `as \"name\"` before the colon, and `in low..=high` and `= default` behind the type, ",
            "where wanted; these do not begin with one: ",
            stringify!($($more)*)
        ));
    };
}

/// The struct, with its lifetime or without one.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_struct {
    ($(#[$($about:tt)*])* $vis:vis struct $name:ident <$life:lifetime> $members:tt) => {
        $crate::__arguments_impl! { [$([$($about)*])*] { $vis struct $name <$life> } $name [$name<$life>] [$name<'static>] $life $members }
    };
    ($(#[$($about:tt)*])* $vis:vis struct $name:ident $members:tt) => {
        $crate::__arguments_impl! { [$([$($about)*])*] { $vis struct $name } $name [$name] [$name] 'a $members }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_impl {
    (
        [$([$($about:tt)*])*] { $($struct:tt)* } $name:ident [$self:ty] [$static:ty] $life:lifetime
        { $( { [$([$($attribute:tt)*])*] $vis:vis $member:ident [$($text:literal)?] [$type:ty] [$($low:expr, $high:expr)?] [$($default:expr)?] } )* }
    ) => {
        $(#[$($about)*])*
        $($struct)* { $( $(#[$($attribute)*])* $vis $member: $type, )* }

        impl<$life> $crate::arguments::Argument<$life> for $self {
            const SHAPE: $crate::arguments::Shape = $crate::arguments::Shape::object(
                &[ $( $crate::__arguments_about!($($about)*) ),* ],
                &[ $(
                    $crate::arguments::Member::new(
                        $crate::__arguments_name!($member $($text)?),
                        &[ $( $crate::__arguments_about!($($attribute)*) ),* ],
                        <$type as $crate::arguments::Argument<$life>>::SHAPE $( .within($low, $high) )?,
                    )
                    $( .default(<<$type as $crate::arguments::Argument<$life>>::Literal>::__constant($default)) )?
                ),* ],
            );
            type Literal = $crate::arguments::NoDefault;

            fn read(
                reader: &mut $crate::json::Reader<$life>,
                _: ::core::option::Option<&'static $crate::json::Limits>,
            ) -> ::core::result::Result<Self, $crate::json::ReadError> {
                let mut members = $crate::arguments::Members::open(reader)?;
                $( let mut $member: ::core::option::Option<$type> = ::core::option::Option::None; )*
                while let ::core::option::Option::Some(name) = members.next_name()? {
                    $( if name == $crate::__arguments_name!($member $($text)?) {
                        let limits = $crate::__arguments_or!(
                            [$( ::core::option::Option::Some($crate::__arguments_limits!($type, $low, $high)) )?]
                            ::core::option::Option::None
                        );
                        members.value($crate::__arguments_name!($member $($text)?), limits, &mut $member)?;
                        continue;
                    } )*
                    members.skip()?;
                }
                ::core::result::Result::Ok($name { $(
                    $member: match $member {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => $crate::__arguments_or!(
                            [$($default)?]
                            <$type as $crate::arguments::Argument<$life>>::missing($crate::__arguments_name!($member $($text)?))?
                        ),
                    },
                )* })
            }
        }

        impl<$life> $crate::arguments::Arguments<$life> for $self {
            const SCHEMA: &'static str = {
                const SHAPE: $crate::arguments::Shape = <$static as $crate::arguments::Argument<'static>>::SHAPE;
                const LEN: usize = $crate::arguments::schema_text::<0>(&SHAPE).length();
                const TEXT: &$crate::arguments::ConstText<LEN> = &$crate::arguments::schema_text(&SHAPE);
                TEXT.as_str()
            };
        }
    };
}

/// The first of two that is there.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_or {
    ([$first:expr] $second:expr) => {
        $first
    };
    ([] $second:expr) => {
        $second
    };
}

/// The limits that a member declares.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_limits {
    ($type:ty, $low:expr, $high:expr) => {{
        const SHAPE: $crate::arguments::Shape =
            <$type as $crate::arguments::Argument<'static>>::SHAPE.within($low, $high);
        const LEN: usize = $crate::arguments::expected_text::<0>(&SHAPE).length();
        const TEXT: &$crate::arguments::ConstText<LEN> = &$crate::arguments::expected_text(&SHAPE);
        const LIMITS: &$crate::json::Limits = &SHAPE.limits(TEXT.as_str());
        LIMITS
    }};
}

/// The name in JSON of a member or variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_name {
    ($name:ident $text:literal) => {
        $text
    };
    ($name:ident) => {
        const { $crate::arguments::name(stringify!($name)) }
    };
}

/// The text of an attribute that is a line of a doc comment; an empty one for other attributes.
#[doc(hidden)]
#[macro_export]
macro_rules! __arguments_about {
    (doc = $line:expr) => {
        $line
    };
    ($($other:tt)*) => {
        ""
    };
}
