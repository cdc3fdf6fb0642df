//! The attributes of a field.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Field, Ident, Lit, LitStr, Meta, RangeLimits, Result, Type};

/// The kind of a field of a part.
pub(crate) enum Kind {
    Number(Number),
    Series(Number),
    Part { example: Option<LitStr>, numbers: Option<Expr>, alone: Option<Ident> },
    List { is_named: bool, least: Option<Expr>, most: Option<Expr> },
    Name,
    Reference { list: LitStr, what: LitStr },
    Plain,
}

/// The description of a number.
pub(crate) struct Number {
    pub(crate) key: LitStr,
    pub(crate) symbol: LitStr,
    pub(crate) label: LitStr,
    pub(crate) unit: Ident,
    pub(crate) min: Expr,
    pub(crate) max: Expr,
    pub(crate) source: Expr,
    pub(crate) neutral: Option<Expr>,
    /// Words without a value, such as `whole`: functions of `Quantity` with these names.
    pub(crate) flags: Vec<Ident>,
    pub(crate) is_optional: bool,
    pub(crate) meaning: String,
}

/// The kind of a field, by its attributes.
pub(crate) fn kind(field: &Field) -> Result<Kind> {
    let mut found = None;
    for attribute in &field.attrs {
        let kind = match attribute.path().get_ident().map(Ident::to_string).as_deref() {
            Some("number") => Kind::Number(number(field, attribute)?),
            Some("series") => Kind::Series(number(field, attribute)?),
            Some("part") => part(attribute)?,
            Some("list") => list(attribute)?,
            Some("name") => Kind::Name,
            Some("reference") => reference(attribute)?,
            _ => continue,
        };
        if found.replace(kind).is_some() {
            return Err(Error::new(attribute.span(), "a field may have only one of these attributes"));
        }
    }
    Ok(found.unwrap_or(Kind::Plain))
}

/// The type inside `Option<…>`.
pub(crate) fn inside_option(ty: &Type) -> Option<&Type> {
    inside(ty, "Option")
}

/// The type inside `Vec<…>`.
pub(crate) fn inside_vec(ty: &Type) -> Option<&Type> {
    inside(ty, "Vec")
}

fn inside<'t>(ty: &'t Type, outer: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == outer)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

fn number(field: &Field, attribute: &Attribute) -> Result<Number> {
    let mut key = None;
    let (mut symbol, mut label, mut unit, mut range, mut source, mut neutral) = (None, None, None, None, None, None);
    let mut flags = Vec::new();
    attribute.parse_nested_meta(|meta| {
        let name = meta.path.require_ident()?.to_string();
        match name.as_str() {
            "key" => key = Some(meta.value()?.parse::<LitStr>()?),
            "symbol" => symbol = Some(meta.value()?.parse::<LitStr>()?),
            "label" => label = Some(meta.value()?.parse::<LitStr>()?),
            "unit" => unit = Some(meta.value()?.parse::<Ident>()?),
            "range" => range = Some(meta.value()?.parse::<Expr>()?),
            "source" => source = Some(meta.value()?.parse::<Expr>()?),
            "neutral" => neutral = Some(meta.value()?.parse::<Expr>()?),
            "whole" | "chosen" | "decision" => flags.push(meta.path.require_ident()?.clone()),
            _ => {
                return Err(meta.error(
                    "expected one of: key, symbol, label, unit, range, source, neutral, whole, chosen, decision",
                ));
            }
        }
        Ok(())
    })?;
    let missing = |what: &str| Error::new(attribute.span(), format!("“{what} = …” is missing"));
    let Some(Expr::Range(range)) = range else { return Err(missing("range")) };
    if matches!(range.limits, RangeLimits::HalfOpen(_)) {
        return Err(Error::new(range.span(), "expected an inclusive range: LEAST..=MOST"));
    }
    let (Some(min), Some(max)) = (range.start, range.end) else { return Err(missing("range")) };
    let is_optional = inside_option(&field.ty).is_some();
    if is_optional && neutral.is_none() {
        return Err(Error::new(attribute.span(), "an optional number needs its value while it is absent: neutral = …"));
    }
    let name = field.ident.as_ref().ok_or_else(|| Error::new(field.span(), "fields of a part must have names"))?;
    let own_key = LitStr::new(&name.to_string(), name.span());
    let meaning = meaning(&field.attrs);
    if !meaning.ends_with('.') {
        return Err(Error::new(field.span(), "a number needs a doc comment that ends with a full stop"));
    }
    Ok(Number {
        key: key.unwrap_or(own_key),
        symbol: symbol.unwrap_or_else(|| LitStr::new("", attribute.span())),
        label: label.ok_or_else(|| missing("label"))?,
        unit: unit.ok_or_else(|| missing("unit"))?,
        min: *min,
        max: *max,
        source: source.ok_or_else(|| missing("source"))?,
        neutral,
        flags,
        is_optional,
        meaning,
    })
}

fn part(attribute: &Attribute) -> Result<Kind> {
    let (mut example, mut numbers, mut alone) = (None, None, None);
    if !matches!(attribute.meta, Meta::Path(_)) {
        attribute.parse_nested_meta(|meta| {
            match meta.path.require_ident()?.to_string().as_str() {
                "example" => example = Some(meta.value()?.parse()?),
                "numbers" => numbers = Some(meta.value()?.parse()?),
                "alone" => alone = Some(meta.value()?.parse()?),
                _ => return Err(meta.error("expected one of: example, numbers, alone")),
            }
            Ok(())
        })?;
    }
    Ok(Kind::Part { example, numbers, alone })
}

fn list(attribute: &Attribute) -> Result<Kind> {
    let (mut is_named, mut least, mut most) = (false, None, None);
    if !matches!(attribute.meta, Meta::Path(_)) {
        attribute.parse_nested_meta(|meta| {
            match meta.path.require_ident()?.to_string().as_str() {
                "named" => is_named = true,
                "least" => least = Some(meta.value()?.parse()?),
                "most" => most = Some(meta.value()?.parse()?),
                _ => return Err(meta.error("expected one of: named, least, most")),
            }
            Ok(())
        })?;
    }
    Ok(Kind::List { is_named, least, most })
}

fn reference(attribute: &Attribute) -> Result<Kind> {
    let (mut list, mut what) = (None, None);
    attribute.parse_nested_meta(|meta| {
        match meta.path.require_ident()?.to_string().as_str() {
            "list" => list = Some(meta.value()?.parse()?),
            "what" => what = Some(meta.value()?.parse()?),
            _ => return Err(meta.error("expected one of: list, what")),
        }
        Ok(())
    })?;
    match (list, what) {
        (Some(list), Some(what)) => Ok(Kind::Reference { list, what }),
        _ => Err(Error::new(attribute.span(), "a reference needs `list = …` and `what = …`")),
    }
}

/// The doc comment in one line.
fn meaning(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            other => Some(other.to_token_stream().to_string()),
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}
