//! The walls of a confinement, as far as Landlock makes them.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetError, Scope, make_bitflags,
};

use crate::confinement::Network;

/// The oldest that keeps signals in: Linux 6.12.
const OLDEST: ABI = ABI::V6;

/// Walls without a door, which nobody stands in yet. Fails where the kernel
/// cannot make them.
pub(crate) fn closed(network: Network) -> Result<RulesetCreated, RulesetError> {
    let files = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST))?
        .scope(Scope::from_all(OLDEST))?;
    let walls = match network {
        Network::None => files.handle_access(AccessNet::from_all(OLDEST))?,
        Network::Whole => files,
    };
    walls.create()
}

#[allow(dead_code, reason = "only the keeper opens doors")]
pub(crate) fn read() -> BitFlags<AccessFs> {
    AccessFs::from_read(OLDEST)
}

/// No devices: whoever can make one of the disk can read all of it.
#[allow(dead_code, reason = "only the keeper opens doors")]
pub(crate) fn write() -> BitFlags<AccessFs> {
    read()
        | make_bitflags!(AccessFs::{
            WriteFile | Truncate | Refer | RemoveDir | RemoveFile | MakeDir | MakeReg | MakeFifo | MakeSym
        })
}
