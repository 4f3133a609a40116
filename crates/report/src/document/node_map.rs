//! The nodes of a machine as a small map.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_machine_file::Hardware;

use super::LinkLoad;
use crate::render::{Document, Views};
use crate::svg::{hardware_picture, load_picture, node_map};

/// The nodes of a machine and the links between them, to stand beside other things; of a machine with too many, all of its routers.
#[derive(Debug, Clone, Copy)]
pub struct NodeMap<'a> {
    pub hardware: &'a Hardware,
    /// The load of a workload, to be drawn on the links.
    pub load: Option<LinkLoad<'a>>,
    /// What the threads of that workload do, by the node that they run on: `2 read node 3`.
    pub threads: &'a BTreeMap<NodeId, Vec<String>>,
}

impl Document for NodeMap<'_> {
    const NAME: &'static str = "a map of nodes";
    const VIEWS: Views<Self> = Views {
        picture: Some(|map| {
            let load = map.load.map(|load| (load.result, load.at, load.experiments));
            if let Some(picture) = node_map(map.hardware, load, map.threads)? {
                return Ok(picture);
            }
            Ok(match map.load {
                None => hardware_picture(map.hardware),
                Some(load) => load_picture(load.hardware, load.result, load.at, load.experiments)?,
            })
        }),
        ..Views::NONE
    };
}
