//! A web page as a tree, if it is one that can be walked.
//!
//! Whoever walks it takes a little of the stack for each level, and what reads the page
//! looks through all levels that are open at each tag. So a page is read piece by piece,
//! and given up as soon as it is deeper or has more parts than any that people write.

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Node, NodeData, RcDom};
use std::rc::Rc;

const MOST_LEVELS: usize = 256;
const MOST_PARTS: usize = 300_000;
/// In one of them: each that is put between others is looked for among all of these.
const MOST_BESIDE: usize = 30_000;
/// So few that one piece cannot do harm: of each of its signs many parts can come.
const PIECE_BYTES: usize = 8 << 10;

/// An error says why it is none.
pub(super) fn of(page: &str) -> Result<Rc<Node>, &'static str> {
    let mut parser = parse_document(RcDom::default(), ParseOpts::default());
    let mut rest = page;
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        parser.process(piece.into());
        can_be_walked(&parser.tokenizer.sink.sink.document)?;
        rest = more;
    }
    let tree = parser.finish().document;
    can_be_walked(&tree)?;
    Ok(tree)
}

fn can_be_walked(tree: &Rc<Node>) -> Result<(), &'static str> {
    let mut parts = 0;
    let mut open = vec![(Rc::clone(tree), 0)];
    while let Some((node, level)) = open.pop() {
        parts += 1;
        if level > MOST_LEVELS {
            return Err("its parts lie too deep in each other");
        }
        if parts > MOST_PARTS || node.children.borrow().len() > MOST_BESIDE {
            return Err("its parts are too many");
        }
        if let NodeData::Element { template_contents, .. } = &node.data {
            open.extend(template_contents.borrow().iter().map(|of| (Rc::clone(of), level + 1)));
        }
        open.extend(node.children.borrow().iter().map(|child| (Rc::clone(child), level + 1)));
    }
    Ok(())
}
