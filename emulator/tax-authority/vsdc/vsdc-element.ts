/** The secure element of the online service: an emulated card that belongs to the authority and is never audited. */
import type { Random } from "../../../src/base/random.js";
import { type CardMemory, FolderMemory, initialState, VolatileMemory } from "../../card/card-state.js";
import { EmulatedCard } from "../../card/emulated-card.js";
import { type CardProfile, parseProfile } from "../../card/profile.js";
import type { EmulatedKeys } from "../../pki/keys.js";

/** UID of the element. UIDs of an online service's elements end in `O0` (protocol facts, section 10). */
const VSDC_UID = "TSVSDCO0";

/** The two maker codes in `mrc` of an online receipt (protocol facts, section 10). */
export const VSDC_MAKER_CODES = "99-0100";

/** Limit of the element. It is the largest amount that a card profile allows. */
const NO_LIMIT = "999999999999";

/**
 * Makes the secure element of the online service.
 * @param country the taxpayer's country
 * @param folder keeps the element's counters; undefined for temporary counters
 */
export function vsdcElement(
  country: string,
  folder: string | undefined,
  { keys, random }: { readonly keys: EmulatedKeys; readonly random: Random },
): EmulatedCard {
  const taxpayer = {
    tin: "000000001",
    businessName: "Emulated tax authority",
    locationName: "Online service",
    address: "Test Street 2",
    country,
  };
  const profile = parseProfile({ uid: VSDC_UID, taxpayer, limit: NO_LIMIT }, "the online service");
  return new EmulatedCard(profile, memoryOf(profile, folder), keys, random);
}

function memoryOf(profile: CardProfile, folder: string | undefined): CardMemory {
  const initial = initialState(profile);
  return folder === undefined ? new VolatileMemory(initial) : new FolderMemory(folder, profile.uid, initial);
}
