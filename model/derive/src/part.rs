//! The code that `#[derive(Part)]` makes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Result, Type};

use crate::attributes::{Kind, Number, inside_option, inside_vec, kind};

/// A field, its kind and its index.
struct Described<'f> {
    field: &'f Field,
    name: &'f Ident,
    kind: Kind,
    index: usize,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.span(), "a part of a study must be a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(input.span(), "fields of a part must have names"));
    };
    let described = |(index, field)| described(index, field);
    let fields: Vec<Described<'_>> = fields.named.iter().enumerate().map(described).collect::<Result<_>>()?;

    let part = &input.ident;
    let constants = fields.iter().filter_map(|field| match &field.kind {
        Kind::Number(number) | Kind::Series(number) => Some(constant(field.name, number)),
        _ => None,
    });
    let descriptions = fields.iter().map(description).collect::<Result<Vec<_>>>()?;
    let field_values = fields.iter().map(field_value);
    let field_values_mut = fields.iter().map(field_value_mut);
    let numbers = match numbers_name(input)? {
        Some(name) => numbers(input, &name, &fields)?,
        None => TokenStream::new(),
    };
    Ok(quote! {
        impl #part {
            #(#constants)*
        }

        impl ::crossover_study::Describe for #part {
            const FIELDS: &'static [::crossover_study::Field] = &[#(#descriptions),*];
        }

        impl ::crossover_study::Part for #part {
            fn fields(&self) -> &'static [::crossover_study::Field] {
                <Self as ::crossover_study::Describe>::FIELDS
            }

            fn field_value(&self, field: usize) -> ::crossover_study::FieldValue<'_> {
                match field {
                    #(#field_values)*
                    _ => ::crossover_study::FieldValue::Plain,
                }
            }

            fn field_value_mut(&mut self, field: usize) -> ::crossover_study::FieldValueMut<'_> {
                match field {
                    #(#field_values_mut)*
                    _ => ::crossover_study::FieldValueMut::Plain,
                }
            }
        }

        #numbers
    })
}

fn described(index: usize, field: &Field) -> Result<Described<'_>> {
    let name = field.ident.as_ref().ok_or_else(|| Error::new(field.span(), "fields of a part must have names"))?;
    Ok(Described { field, name, kind: kind(field)?, index })
}

fn constant_name(field: &Ident) -> Ident {
    format_ident!("{}", field.to_string().to_uppercase())
}

fn constant(field: &Ident, number: &Number) -> TokenStream {
    let name = constant_name(field);
    let Number { key, symbol, label, unit, min, max, source, flags, meaning, .. } = number;
    let optional = number.is_optional.then(|| quote!(.optional()));
    let neutral = number.neutral.as_ref().map(|neutral| quote!(.neutral(#neutral)));
    quote! {
        #[doc = #meaning]
        pub const #name: ::crossover_quantity::quantity::Quantity = ::crossover_quantity::quantity::Quantity::new(#key, #symbol, #label, #source)
            .unit(::crossover_quantity::unit::Unit::#unit, #min, #max)
            #(.#flags())* #optional #neutral
            .meaning(#meaning);
    }
}

/// The description of the fields of a type.
fn fields_of(ty: &Type) -> TokenStream {
    quote!(<#ty as ::crossover_study::Describe>::FIELDS)
}

fn description(field: &Described<'_>) -> Result<TokenStream> {
    let key = LitStr::new(&field.name.to_string(), field.name.span());
    let constant = constant_name(field.name);
    let kind = match &field.kind {
        Kind::Number(_) => quote!(::crossover_study::FieldKind::Number(&Self::#constant)),
        Kind::Series(_) => quote!(::crossover_study::FieldKind::Series(&Self::#constant)),
        Kind::Part { example, numbers, .. } => {
            let inner = inside_option(&field.field.ty).unwrap_or(&field.field.ty);
            let fields = numbers.as_ref().map_or_else(|| fields_of(inner), |numbers| quote!(#numbers));
            let example = example.as_ref().map_or_else(|| quote!(None), |example| quote!(Some(#example)));
            quote!(::crossover_study::FieldKind::Part { fields: #fields, example: #example })
        }
        Kind::List { is_named, least, most } => {
            let Some(entry) = inside_vec(&field.field.ty) else {
                return Err(Error::new(field.field.ty.span(), "a list must be a Vec"));
            };
            let fields = fields_of(entry);
            let least = least.as_ref().map_or_else(|| quote!(0), |least| quote!(#least));
            let most = most.as_ref().map_or_else(|| quote!(usize::MAX), |most| quote!(#most));
            quote!(::crossover_study::FieldKind::List { fields: #fields, is_named: #is_named, least: #least, most: #most })
        }
        Kind::Name => quote!(::crossover_study::FieldKind::Name),
        Kind::Reference { list, what } => quote!(::crossover_study::FieldKind::Reference { list: #list, what: #what }),
        Kind::Plain => quote!(::crossover_study::FieldKind::Plain),
    };
    Ok(quote!(::crossover_study::Field { key: #key, kind: #kind }))
}

fn field_value(field: &Described<'_>) -> TokenStream {
    let (name, index) = (field.name, field.index);
    let value = match &field.kind {
        Kind::Number(_) => quote!(::crossover_study::FieldValue::Number(::crossover_study::Number::get(&self.#name))),
        Kind::Series(_) => quote!(::crossover_study::FieldValue::Series(&self.#name)),
        Kind::Part { .. } if inside_option(&field.field.ty).is_some() => {
            quote!(::crossover_study::FieldValue::Part(self.#name.as_ref().map(|part| part as &dyn ::crossover_study::Part)))
        }
        Kind::Part { .. } => quote!(::crossover_study::FieldValue::Part(Some(&self.#name))),
        Kind::List { .. } => quote!(::crossover_study::FieldValue::List(&self.#name)),
        Kind::Name | Kind::Reference { .. } => quote!(::crossover_study::FieldValue::Text(&self.#name)),
        Kind::Plain => return TokenStream::new(),
    };
    quote!(#index => #value,)
}

fn field_value_mut(field: &Described<'_>) -> TokenStream {
    let (name, index) = (field.name, field.index);
    let value = match &field.kind {
        Kind::Number(_) => quote!(::crossover_study::FieldValueMut::Number(&mut self.#name)),
        Kind::Part { .. } if inside_option(&field.field.ty).is_some() => {
            quote!(::crossover_study::FieldValueMut::Part(self.#name.as_mut().map(|part| part as &mut dyn ::crossover_study::Part)))
        }
        Kind::Part { .. } => quote!(::crossover_study::FieldValueMut::Part(Some(&mut self.#name))),
        Kind::List { .. } => quote!(::crossover_study::FieldValueMut::List(&mut self.#name)),
        Kind::Name | Kind::Reference { .. } => quote!(::crossover_study::FieldValueMut::Text(&mut self.#name)),
        Kind::Series(_) | Kind::Plain => return TokenStream::new(),
    };
    quote!(#index => #value,)
}

/// The name in `#[numbers(Name)]`.
fn numbers_name(input: &DeriveInput) -> Result<Option<Ident>> {
    let attribute = input.attrs.iter().find(|attribute| attribute.path().is_ident("numbers"));
    attribute.map(syn::Attribute::parse_args).transpose()
}

/// The struct of the numbers of a part, with those of its optional parts.
fn numbers(input: &DeriveInput, name: &Ident, fields: &[Described<'_>]) -> Result<TokenStream> {
    let (part, visibility) = (&input.ident, &input.vis);
    let mut declared = Vec::new();
    let mut taken = Vec::new();
    let mut got = Vec::new();
    let mut set = Vec::new();
    let mut mapped = Vec::new();
    for field in fields {
        let (field_name, index, constant) = (field.name, field.index, constant_name(field.name));
        match &field.kind {
            Kind::Number(number) => {
                let meaning = &number.meaning;
                declared.push(quote!(#[doc = #meaning] pub #field_name: N));
                taken.push(quote! {
                    #field_name: ::crossover_study::Number::get(&part.#field_name).unwrap_or(#part::#constant.when_absent())
                });
                got.push(quote!(#index => self.#field_name,));
                set.push(quote!(#index => self.#field_name = value,));
                mapped.push(quote!(#field_name: to(#index, None, self.#field_name)));
            }
            Kind::Part { numbers: own, alone, .. } => {
                let ty = &field.field.ty;
                let (Some(inner), Some(alone)) = (inside_option(ty), alone) else {
                    return Err(Error::new(ty.span(), "`numbers` keeps optional parts with `alone = …` only"));
                };
                let inner = own.as_ref().map_or_else(|| fields_of(inner), |own| quote!(#own));
                let doc = format!("The numbers of `{field_name}`, if present.");
                declared.push(quote!(#[doc = #doc] pub #field_name: Option<#alone<N>>));
                taken.push(quote!(#field_name: part.#field_name.as_ref().map(#alone::from)));
                got.push(quote! {
                    #index => self.#field_name.map_or_else(
                        || ::crossover_study::number_when_absent(#inner, inside),
                        |part| part.get(inside, 0),
                    ),
                });
                set.push(quote! {
                    #index => if let Some(inner) = &mut self.#field_name {
                        inner.set(inside, 0, value);
                    },
                });
                mapped.push(quote! {
                    #field_name: self.#field_name.map(|part| part.map(&mut |field, _, value| to(#index, Some(field), value)))
                });
            }
            _ => {}
        }
    }
    let doc = format!("The numbers of a [`{part}`]; an absent number has its neutral value.");
    Ok(quote! {
        #[doc = #doc]
        #[derive(Debug, Clone, Copy, PartialEq)]
        #visibility struct #name<N = f64> {
            #(#declared),*
        }

        impl From<&#part> for #name {
            fn from(part: &#part) -> Self {
                Self { #(#taken),* }
            }
        }

        impl<N: Copy> #name<N> {
            /// The same struct with the values that `to` returns for each number, by its field, and by its field `inside` that.
            #visibility fn map<M>(&self, to: &mut dyn FnMut(usize, Option<usize>, N) -> M) -> #name<M> {
                #name { #(#mapped),* }
            }
        }

        impl #name {
            /// The number in a field, or in a field `inside` that.
            #[must_use]
            pub fn get(&self, field: usize, inside: usize) -> f64 {
                // Few parts have parts inside.
                let _ = inside;
                match field {
                    #(#got)*
                    _ => f64::NAN,
                }
            }

            /// Sets the number in a field, or in a field `inside` that; nothing if it is absent.
            pub fn set(&mut self, field: usize, inside: usize, value: f64) {
                let _ = inside;
                match field {
                    #(#set)*
                    _ => {}
                }
            }
        }
    })
}
