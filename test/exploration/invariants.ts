/** What must hold, in addition to the replies to a POS (`dispatch.ts`). */
import { DAMAGED, type Write } from "../../src/fiscalizer/protocol/state.js";
import type { Signed } from "./card.js";
import { cardRead, type Entry, openIn, type Report } from "./ledger.js";
import { must } from "./violation.js";
import { cardIn, type Setting, tillAt, tillOf, type World } from "./world.js";

/** Checked when the card is asked to sign. When another rule is broken, its own harm is more informative. */
export function requireOneDoubt({ protocol: { broken } }: Setting, { ledger }: World, id: number): void {
  if (broken && broken !== "oneDoubt") return;
  const entry = ledger.entries.find((candidate) => candidate.id === id);
  if (!entry || entry.kind === "Training Sale") return;
  const doubt = openIn(ledger, entry.uid).find((other) => other.id !== id);
  must(doubt === undefined, "oneDoubt", `${entry.requestId} is put to the card while ${doubt?.requestId} is in doubt`);
}

/** Checked when the card signs. */
export function requireMaySign(setting: Setting, world: World, key: number): void {
  const { requestId } = tillAt(setting, tillOf(key));
  must(!world.past.gone.includes(key), "left", `the card signs ${requestId}, whose POS had hung up before`);
  const earlier = world.past.signed.find((signature) => signature.requestId === requestId);
  must(!earlier || isExcused(setting, world, earlier), "signedOnce", `the card signs ${requestId} twice`);
}

/** After a restored backup or a person's wrong decision: reported before, or impossible to know. */
function isExcused({ configuration }: Setting, { machine, past, ledger }: World, signature: Signed): boolean {
  if (!past.forgotten.includes(signature.bytes)) return false;
  return (
    configuration.lastInvoiceCommand !== "works" ||
    machine.card?.lastInvoiceCommand === "odd" ||
    isReported(signature, ledger.reports)
  );
}

/** Checked when the ledger is asked to write. */
export function requireRight(setting: Setting, world: World, writes: readonly Write[]): void {
  const decided = writes.some((write) => write.kind === "report" && write.reportKind === "decided");
  for (const write of writes) {
    if (write.kind === "unproven") requireItsCounter(setting, world, write);
    if (write.kind === "report") requireNews(setting, world, write, writes);
    if (write.kind === "complete" || write.kind === "unproven") requireNew(world, write.signature.bytes);
    if ((write.kind === "lose" || write.kind === "unproven") && !decided) {
      const entry = world.ledger.entries.find(({ id }) => id === write.id);
      if (entry) requireFinal(setting, world, entry);
    }
  }
}

function requireNew({ ledger }: World, bytes: string): void {
  const stored = ledger.entries.find((entry) => entry.bytes === bytes);
  must(stored === undefined, "accounted", `the signature "${bytes}" is stored twice`);
}

/** Nothing proves a counter, but the next one is right when only this service uses the card. */
function requireItsCounter(
  { configuration }: Setting,
  world: World,
  write: Extract<Write, { kind: "unproven" }>,
): void {
  const { others, may } = configuration;
  if (others || may.strangers || may.restores || may.decisions) return;
  const entry = world.ledger.entries.find(({ id }) => id === write.id);
  const signature = world.past.signed.find(({ key }) => key === entry?.key);
  const isDue = signature?.counter === write.totalCounter;
  must(isDue, "accounted", `invoice ${signature?.counter} is stored as unproven under ${write.totalCounter}`);
}

/** Checks that a report has content. Two cards with the same UID, and a person's mistakes, confuse the counters. */
function requireNews({ configuration }: Setting, world: World, report: Report, writes: readonly Write[]): void {
  const { past, ledger } = world;
  if (report.reportKind === "back")
    must(past.back !== "no", "reported", "a counter is said to have gone back, and has not");
  const isConfused =
    configuration.others?.some((name) => name !== "other") ||
    ledger.reports.some(({ reportKind: kind }) => kind === "decided");
  if (report.reportKind !== "behind" || isConfused) return;
  const reports = [...ledger.reports, ...writes.filter((write) => write.kind === "report" && write !== report)];
  const isKnown = past.signed.some((signature) => {
    const isStored = ledger.entries.some(({ bytes, key, totalCounter }) => {
      return bytes === signature.bytes || (key === signature.key && totalCounter === signature.counter);
    });
    const isThere = signature.card === cardIn(world).name && hasCounter(report, signature);
    return isThere && (isStored || reports.some((earlier) => "from" in earlier && hasCounter(earlier, signature)));
  });
  must(!isKnown, "accounted", `"behind ${report.from} to ${report.to}" is reported, and some of it was known before`);
}

/** Checks that a sale is given up rightly. */
function requireFinal({ configuration }: Setting, world: World, entry: Entry): void {
  const { past, machine } = world;
  const card = cardIn(world);
  const signature = past.signed.find(({ key }) => key === entry.key);
  // If several sales are in doubt, the counter does not show which one was signed.
  const one = openIn(world.ledger, entry.uid).length === 1;
  must(signature !== undefined || !past.plain || !one, "final", `${entry.requestId} is given up, and was never signed`);
  const isAsked = world.pin && machine.card?.session === world.session && machine.card.lastInvoiceCommand !== "odd";
  // There is one signature, of another sale, and no other; for a damaged intent this cannot be known.
  const { lastCounter, lastBytes = card.last?.bytes } = cardRead(world.ledger, card.uid);
  const ahead = card.counter - lastCounter;
  const isOther = (ahead === 0 && lastBytes === card.last?.bytes) || (ahead === 1 && entry.header !== DAMAGED);
  const isFree = isAsked && configuration.lastInvoiceCommand === "works" && !card.broken && isOther;
  must(signature !== undefined || !isFree, "final", `${entry.requestId} is given up, and was not signed`);
  const canTell = configuration.lastInvoiceCommand === "works" && isAsked && !card.broken;
  const isLast = signature !== undefined && signature.card === card.name && signature.bytes === card.last?.bytes;
  must(
    !(canTell && isLast) || entry.header === DAMAGED,
    "final",
    `${entry.requestId} is given up, and the card can still repeat its signature`,
  );
}

export function requireAll(setting: Setting, world: World): void {
  const { machine, inFlight, waits } = world;
  if (inFlight) return;
  must(machine.doing.kind === "nothing", "ends", `the machine is ${machine.doing.kind}, and nothing is under way`);
  const waiting = setting.tills.find((_, i) => waits[i] !== undefined);
  must(waiting === undefined, "waits", `${waiting?.name} waits, and nothing is under way`);
  if (isCompared(setting, world)) requireAccounted(setting, world);
}

/** The card is there, has its PIN, and has been compared. */
function isCompared({ configuration }: Setting, world: World): boolean {
  const { machine, pin, session, past } = world;
  const { card, toCompare } = machine;
  if (!pin || past.stranger || toCompare || !card) return false;
  if (configuration.lastInvoiceCommand === "works" && card.lastInvoiceCommand !== "works") return false;
  return card.compared && card.session === session && card.uid === cardIn(world).uid;
}

function requireAccounted({ configuration }: Setting, { machine, ledger, past, ...world }: World): void {
  const card = world.cards[world.inserted];
  const repeatsLast = configuration.lastInvoiceCommand === "works" && !card?.broken;
  for (const signature of past.signed) {
    if (signature.card !== card?.name) continue;
    const { counter, bytes, requestId, key } = signature;
    const stored = ledger.entries.some((entry) => entry.bytes === bytes);
    const unwritten = machine.unwritten.some((write) => write.kind === "complete" && write.signature.bytes === bytes);
    const reports = [...ledger.reports, ...machine.unwritten.filter((write) => write.kind === "report")];
    const doubt = ledger.entries.find((entry) => entry.state === "intent" && entry.key === key);
    // Its next signature shows it.
    const unseen = !repeatsLast && counter > (machine.card?.lastCounter ?? 0);
    const known = stored || unwritten || doubt !== undefined || unseen || isReported(signature, reports);
    must(known, "accounted", `invoice ${counter} (${requestId ?? "another program's"}) is lost in silence`);
  }
  must(
    past.back !== "must be reported" || machine.unwritten.length > 0,
    "reported",
    "the counter went back, or another card has its UID, and nothing is reported",
  );
  if (!repeatsLast || !card || machine.unwritten.length > 0 || openIn(ledger, card.uid).length > 0) return;
  const last = ledger.cards[card.uid]?.lastCounter ?? 0;
  must(last === card.counter, "accounted", `the card has counted to ${card.counter}, and the ledger to ${last}`);
}

function hasCounter({ from, to }: Report, { counter }: Signed): boolean {
  return from !== undefined && to !== undefined && from <= counter && counter <= to;
}

function isReported({ uid, counter, requestId }: Signed, reports: World["ledger"]["reports"]): boolean {
  return reports.some((report) => {
    if (report.uid !== uid) return false;
    const { reportKind: kind, from, to } = report;
    if (requestId !== undefined && report.requestId === requestId) return true;
    // Damaged bytes do not reveal their counter.
    if (from === undefined || to === undefined) return kind === "unproven" && report.requestId === undefined;
    // After a counter went back, every counter is in question.
    return kind === "back" || kind === "swapped" ? counter <= Math.max(from, to) : from <= counter && counter <= to;
  });
}
