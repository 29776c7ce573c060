//! Schemas of arguments, written at compile time.

/// The JSON Schema of an object, as a constant text: `schema!({ on: bool, times?: u8 })`, for a handler that reads its arguments itself.
/// [`arguments!`](crate::arguments!) gives the text together with the type.
///
/// A member that may be left out has a `?`. Its type is one of `bool`, `str`, `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `u64`, `i64` (the
/// smaller ones with their ranges), `Decimal`, or, for any other schema, its text in parentheses. What it is for may follow after `=`, as a
/// plain string literal.
///
/// ```
/// use umcp::schema;
///
/// assert_eq!(schema!({}), r#"{"type":"object","additionalProperties":false}"#);
/// assert_eq!(
///     schema!({ on: bool = "Whether it shines.", times?: u8, mode?: (r#"{"enum":["fast","slow"]}"#) }),
///     concat!(
///         r#"{"type":"object","properties":{"on":{"description":"Whether it shines.","type":"boolean"},"#,
///         r#""times":{"type":"integer","minimum":0,"maximum":255},"mode":{"enum":["fast","slow"]}},"required":["on"]}"#
///     )
/// );
/// ```
#[macro_export]
macro_rules! schema {
    ({}) => {
        r#"{"type":"object","additionalProperties":false}"#
    };
    ({ $($members:tt)+ }) => {
        $crate::__schema_members!([] [] [] [] $($members)+ ,)
    };
}

/// The steps of [`schema!`]: `[properties] [the comma before the next one] [required] [its comma] members...`.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_members {
    ([$($p:tt)*] [$($pc:tt)*] [$($r:tt)*] [$($rc:tt)*] $(,)?) => {
        concat!(r#"{"type":"object","properties":{"#, $($p)* r#"},"required":["#, $($r)* "]}")
    };
    ([$($p:tt)*] [$($pc:tt)*] [$($r:tt)*] [$($rc:tt)*] $name:ident ?: $type:tt $(= $about:literal)?, $($rest:tt)*) => {
        $crate::__schema_members!(
            [$($p)* $($pc)* "\"", stringify!($name), "\":", $crate::__schema_type!($type $($about)?),] [",",]
            [$($r)*] [$($rc)*] $($rest)*
        )
    };
    ([$($p:tt)*] [$($pc:tt)*] [$($r:tt)*] [$($rc:tt)*] $name:ident : $type:tt $(= $about:literal)?, $($rest:tt)*) => {
        $crate::__schema_members!(
            [$($p)* $($pc)* "\"", stringify!($name), "\":", $crate::__schema_type!($type $($about)?),] [",",]
            [$($r)* $($rc)* "\"", stringify!($name), "\"",] [",",] $($rest)*
        )
    };
}

/// The schema of one member of [`schema!`].
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_type {
    (($schema:expr)) => {
        $schema
    };
    ($type:tt) => {
        concat!("{", $crate::__schema_body!($type), "}")
    };
    ($type:tt $about:literal) => {
        concat!("{\"description\":", stringify!($about), ",", $crate::__schema_body!($type), "}")
    };
}

/// The members of a schema of this type.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_body {
    (bool) => {
        r#""type":"boolean""#
    };
    (str) => {
        r#""type":"string""#
    };
    (u8) => {
        r#""type":"integer","minimum":0,"maximum":255"#
    };
    (i8) => {
        r#""type":"integer","minimum":-128,"maximum":127"#
    };
    (u16) => {
        r#""type":"integer","minimum":0,"maximum":65535"#
    };
    (i16) => {
        r#""type":"integer","minimum":-32768,"maximum":32767"#
    };
    (u32) => {
        r#""type":"integer","minimum":0,"maximum":4294967295"#
    };
    (i32) => {
        r#""type":"integer","minimum":-2147483648,"maximum":2147483647"#
    };
    (u64) => {
        r#""type":"integer","minimum":0"#
    };
    (i64) => {
        r#""type":"integer""#
    };
    (Decimal) => {
        r#""type":"number""#
    };
    ($other:tt) => {
        compile_error!(concat!(
            "schema!: the type of a member is bool, str, u8, i8, u16, i16, u32, i32, u64, i64 or Decimal, ",
            "or the text of a schema in parentheses; this is none: ",
            stringify!($other)
        ))
    };
}
