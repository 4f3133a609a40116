//! A node of a machine file that becomes a NUMA node.

use zerohop_document::Span;

use crate::file::tables::NodeTable;
use zerohop_machine::NodeId;

/// A node whose number is known.
pub(super) struct Node<'t> {
    pub(super) id: NodeId,
    pub(super) name: &'t str,
    pub(super) place: Span,
    pub(super) table: &'t NodeTable,
}
