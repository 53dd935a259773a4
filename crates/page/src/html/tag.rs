//! Which element is it, and how does it behave?

/// The elements whose behaviour matters to us; every other one is `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    Root,
    Text,
    A,
    Address,
    Area,
    Article,
    Aside,
    B,
    Base,
    Blockquote,
    Body,
    Br,
    Button,
    Caption,
    Center,
    Code,
    Dd,
    Del,
    Details,
    Dialog,
    Div,
    Dl,
    Dt,
    Em,
    Fieldset,
    Figcaption,
    Figure,
    Footer,
    Form,
    Frame,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hr,
    Html,
    Iframe,
    Img,
    Input,
    Label,
    Li,
    Link,
    Main,
    Math,
    Menu,
    Meta,
    Nav,
    Noframes,
    Noscript,
    Object,
    Ol,
    Optgroup,
    Option,
    P,
    Param,
    Plaintext,
    Pre,
    Script,
    Section,
    Select,
    Style,
    Summary,
    Sup,
    Svg,
    Table,
    Tbody,
    Td,
    Template,
    Textarea,
    Tfoot,
    Th,
    Thead,
    Time,
    Title,
    Tr,
    Ul,
    Video,
    Xmp,
    /// Elements without content that mean nothing to us.
    OtherVoid,
    /// Elements whose content is raw text that means nothing to us.
    OtherRaw,
    /// Block-level elements of no special meaning.
    OtherBlock,
    /// Everything else, inline.
    Other,
}

impl Tag {
    /// How many variants there are.
    pub(crate) const COUNT: usize = Tag::Other as usize + 1;

    /// The element of a lower-case name.
    pub(crate) fn of(name: &[u8]) -> Tag {
        match name {
            b"a" => Tag::A,
            b"address" => Tag::Address,
            b"area" => Tag::Area,
            b"article" => Tag::Article,
            b"aside" => Tag::Aside,
            b"b" | b"strong" => Tag::B,
            b"base" => Tag::Base,
            b"blockquote" => Tag::Blockquote,
            b"body" => Tag::Body,
            b"br" => Tag::Br,
            b"button" => Tag::Button,
            b"caption" => Tag::Caption,
            b"center" => Tag::Center,
            b"code" | b"kbd" | b"samp" | b"tt" => Tag::Code,
            b"dd" => Tag::Dd,
            b"del" | b"s" | b"strike" => Tag::Del,
            b"details" => Tag::Details,
            b"dialog" => Tag::Dialog,
            b"div" => Tag::Div,
            b"dl" => Tag::Dl,
            b"dt" => Tag::Dt,
            b"em" | b"i" => Tag::Em,
            b"fieldset" => Tag::Fieldset,
            b"figcaption" => Tag::Figcaption,
            b"figure" => Tag::Figure,
            b"footer" => Tag::Footer,
            b"form" => Tag::Form,
            b"frame" => Tag::Frame,
            b"h1" => Tag::H1,
            b"h2" => Tag::H2,
            b"h3" => Tag::H3,
            b"h4" => Tag::H4,
            b"h5" => Tag::H5,
            b"h6" => Tag::H6,
            b"head" => Tag::Head,
            b"header" => Tag::Header,
            b"hr" => Tag::Hr,
            b"html" => Tag::Html,
            b"iframe" => Tag::Iframe,
            b"img" | b"image" => Tag::Img,
            b"input" => Tag::Input,
            b"label" => Tag::Label,
            b"li" => Tag::Li,
            b"link" => Tag::Link,
            b"main" => Tag::Main,
            b"math" => Tag::Math,
            b"menu" => Tag::Menu,
            b"meta" => Tag::Meta,
            b"nav" => Tag::Nav,
            b"noframes" => Tag::Noframes,
            b"noscript" => Tag::Noscript,
            b"object" => Tag::Object,
            b"ol" => Tag::Ol,
            b"optgroup" => Tag::Optgroup,
            b"option" => Tag::Option,
            b"p" => Tag::P,
            b"param" => Tag::Param,
            b"plaintext" => Tag::Plaintext,
            b"pre" | b"listing" => Tag::Pre,
            b"script" => Tag::Script,
            b"section" => Tag::Section,
            b"select" => Tag::Select,
            b"style" => Tag::Style,
            b"summary" => Tag::Summary,
            b"sup" => Tag::Sup,
            b"svg" => Tag::Svg,
            b"table" => Tag::Table,
            b"tbody" => Tag::Tbody,
            b"td" => Tag::Td,
            b"template" => Tag::Template,
            b"textarea" => Tag::Textarea,
            b"tfoot" => Tag::Tfoot,
            b"th" => Tag::Th,
            b"thead" => Tag::Thead,
            b"time" => Tag::Time,
            b"title" => Tag::Title,
            b"tr" => Tag::Tr,
            b"ul" | b"dir" => Tag::Ul,
            b"video" | b"audio" | b"canvas" => Tag::Video,
            b"xmp" => Tag::Xmp,
            b"basefont" | b"bgsound" | b"col" | b"embed" | b"keygen" | b"source" | b"track"
            | b"wbr" => Tag::OtherVoid,
            b"noembed" => Tag::OtherRaw,
            b"colgroup" | b"frameset" | b"hgroup" | b"legend" | b"marquee" | b"search" => {
                Tag::OtherBlock
            }
            _ => Tag::Other,
        }
    }

    /// Elements that cannot have content.
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Tag::Area
                | Tag::Base
                | Tag::Br
                | Tag::Frame
                | Tag::Hr
                | Tag::Img
                | Tag::Input
                | Tag::Link
                | Tag::Meta
                | Tag::Param
                | Tag::OtherVoid
        )
    }

    /// Elements that stand on lines of their own.
    pub(crate) fn is_block(self) -> bool {
        matches!(
            self,
            Tag::Root
                | Tag::Address
                | Tag::Article
                | Tag::Aside
                | Tag::Blockquote
                | Tag::Caption
                | Tag::Center
                | Tag::Dd
                | Tag::Details
                | Tag::Dialog
                | Tag::Div
                | Tag::Dl
                | Tag::Dt
                | Tag::Fieldset
                | Tag::Figcaption
                | Tag::Figure
                | Tag::Footer
                | Tag::Form
                | Tag::H1
                | Tag::H2
                | Tag::H3
                | Tag::H4
                | Tag::H5
                | Tag::H6
                | Tag::Header
                | Tag::Hr
                | Tag::Li
                | Tag::Main
                | Tag::Menu
                | Tag::Nav
                | Tag::Noframes
                | Tag::Ol
                | Tag::Optgroup
                | Tag::Option
                | Tag::P
                | Tag::Plaintext
                | Tag::Pre
                | Tag::Section
                | Tag::Select
                | Tag::Summary
                | Tag::Table
                | Tag::Tbody
                | Tag::Tfoot
                | Tag::Thead
                | Tag::Tr
                | Tag::Ul
                | Tag::Xmp
                | Tag::OtherBlock
        )
    }

    /// Cells and what else an end tag inside must not reach out of.
    pub(crate) fn is_barrier(self) -> bool {
        matches!(
            self,
            Tag::Root | Tag::Td | Tag::Th | Tag::Table | Tag::Caption | Tag::Template | Tag::Object
        )
    }

    /// Parts of a table, whose tags do reach over the barriers inside it.
    pub(crate) fn is_table_part(self) -> bool {
        matches!(
            self,
            Tag::Table
                | Tag::Thead
                | Tag::Tbody
                | Tag::Tfoot
                | Tag::Tr
                | Tag::Td
                | Tag::Th
                | Tag::Caption
        )
    }

    /// The level of a heading.
    pub(crate) fn heading(self) -> Option<usize> {
        match self {
            Tag::H1 => Some(1),
            Tag::H2 => Some(2),
            Tag::H3 => Some(3),
            Tag::H4 => Some(4),
            Tag::H5 => Some(5),
            Tag::H6 => Some(6),
            _ => None,
        }
    }

    /// Elements whose text nobody sees on the page.
    pub(crate) fn hides_text(self) -> bool {
        matches!(
            self,
            Tag::Iframe
                | Tag::Noframes
                | Tag::Noscript
                | Tag::Object
                | Tag::OtherRaw
                | Tag::Script
                | Tag::Style
                | Tag::Svg
                | Tag::Template
                | Tag::Title
                | Tag::Video
        )
    }

    /// Whether a start tag of this kind ends an open paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        self.is_block()
            && !matches!(
                self,
                Tag::Caption
                    | Tag::Noframes
                    | Tag::Optgroup
                    | Tag::Option
                    | Tag::Select
                    | Tag::Tbody
                    | Tag::Tfoot
                    | Tag::Thead
                    | Tag::Tr
                    | Tag::OtherBlock
            )
    }
}
