/** When no more faults happen: do sales go on, and does no sale stay in doubt? */
import { answersTo } from "./answers.js";
import { nextOfAudit, requireNoneGivenUp } from "./audits.js";
import { decide, enterPin, post } from "./events.js";
import type { Move } from "./explore.js";
import type { Interner } from "./interner.js";
import { type Entry, openIn } from "./ledger.js";
import { must, Violation } from "./violation.js";
import { cardIn, NOTHING, type Setting, tillAt, type World } from "./world.js";

/** More than any undisturbed path needs. */
const MOST_MOVES = 100;

/** @returns a check of a world at rest; it remembers the paths that it has followed */
export function calmEnd(setting: Setting, interner: Interner): (world: World) => void {
  const fine = new Set<number>();
  return (world) => {
    if (world.inFlight) return;
    const way: string[] = [];
    const seen: number[] = [];
    // Other possible events make no difference from here on.
    for (let at: World = { ...world, may: NOTHING, backup: undefined, torn: undefined }; ; ) {
      const id = interner.idOf(at);
      if (fine.has(id)) break;
      seen.push(id);
      try {
        const move = calmMove(setting, at);
        if (!move) break;
        way.push(move.words);
        must(seen.length < MOST_MOVES, "ends", "sales go on for ever");
        at = move.to();
      } catch (error) {
        throw Violation.of(error, way);
      }
    }
    for (const id of seen) fine.add(id);
  };
}

/** Without faults: the PIN, what settles a doubt, and one more sale. @throws Violation */
function calmMove(setting: Setting, world: World): Move<World> | undefined {
  const { inFlight, pin, ledger, posted, past } = world;
  const [training, later] = [setting.tills.length - 2, setting.tills.length - 1];
  if (inFlight && inFlight.kind !== "reply") return answersTo(setting, world, inFlight)[0];
  if (!pin) return enterPin(setting, world);
  const doubts = openIn(ledger, cardIn(world).uid);
  const [doubt] = doubts;
  const { requestId } = tillAt(setting, later);
  // Damaged bytes may not say whose they are: then a person decides.
  const { broken } = cardIn(world);
  const isSold = past.answers[requestId] !== undefined;
  if (posted[later] === 0 || (broken && posted[later] === 1 && !isSold)) {
    const { lastInvoiceCommand } = setting.configuration;
    if (doubt && lastInvoiceCommand === "missing" && posted[training] === 0 && !sumSays(setting, world, doubts)) {
      return post(setting, world, training);
    }
    const saysNothing = broken && world.machine.card?.lastInvoiceCommand === "odd";
    if (doubt && (lastInvoiceCommand === "odd" || saysNothing)) {
      return decide(setting, world, doubt, wasSigned(world, doubt));
    }
    return post(setting, world, later);
  }
  must(isSold, "deadEnd", "another sale gets no answer");
  must(doubt === undefined, "deadEnd", `${doubt?.requestId} stays in doubt`);
  const audit = nextOfAudit(setting, world);
  if (!audit) requireNoneGivenUp(world);
  return audit;
}

function wasSigned({ past }: World, { key }: Entry): boolean {
  return past.signed.some((signature) => signature.key === key);
}

/** When the sum can settle a sale, nothing else may be needed. */
function sumSays({ configuration }: Setting, world: World, [doubt, ...others]: readonly Entry[]): boolean {
  const { past, machine } = world;
  const { cardFaults, counts } = configuration;
  const isUnread = !cardFaults || cardFaults.includes("no amounts") || cardFaults.includes("throws");
  if (!doubt || others.length > 0 || !past.plain || isUnread) return false;
  if (!wasSigned(world, doubt)) return machine.card?.counting.includes(doubt.kind) ?? false;
  return counts.some((kind) => kind === doubt.kind);
}
