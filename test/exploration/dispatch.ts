/** Gives an event to the machine, and its replies to the POS. */
import type { Event, Reply } from "../../src/fiscalizer/protocol/state.js";
import { requireOneDoubt } from "./invariants.js";
import { ofRequest } from "./ledger.js";
import { must } from "./violation.js";
import { type Setting, tillAt, tillOf, type World, withPast } from "./world.js";

export const DECISION = 1_000;

export function answered(setting: Setting, world: World, event: Event): World {
  return dispatch(setting, { ...world, inFlight: undefined }, event);
}

export function dispatch(setting: Setting, world: World, event: Event): World {
  const [machine, effects] = setting.protocol.step(world.machine, event);
  let next: World = { ...world, machine };
  for (const effect of effects) {
    if (effect.kind === "reply") {
      next = deliver(setting, next, effect.to.key, effect.reply);
    } else {
      must(next.inFlight === undefined, "oneThing", `${effect.kind} begins while another thing is under way`);
      next = { ...next, inFlight: effect };
      if (effect.kind === "sign") requireOneDoubt(setting, next, effect.open.id);
    }
  }
  return next;
}

/** Delivers the reply to the POS that posted this sale, unless it has hung up. */
function deliver(setting: Setting, world: World, key: number, reply: Reply): World {
  const index = tillOf(key);
  if (key >= DECISION || world.waits[index] !== key) return world;
  const till = tillAt(setting, index);
  const next: World = { ...world, waits: world.waits.with(index, undefined) };
  switch (reply.kind) {
    case "answer": {
      const entry = world.ledger.entries.find(({ id }) => id === reply.sold.id);
      const isStored = entry?.state === "complete" && entry.bytes === reply.sold.answer;
      must(isStored, "answer", `${till.name} gets an answer that is not stored`);
      return receipt(next, till.name, till.requestId, reply.sold.answer);
    }
    case "stored":
      return handOut(setting, next, index);
    case "no-receipt": {
      const entry = ofRequest(world.ledger, till.requestId);
      must(
        entry?.state === reply.state,
        "truth",
        `${till.name} hears "${reply.state}", and the ledger does not say so`,
      );
      return next;
    }
    case "not-signed":
    case "blocked":
    case "left":
    case "refused":
    case "ledger-failed":
      requireTruth(world, key, till, reply);
      return next;
    default:
      return next;
  }
}

/** Checks that what the reply says about the card is true. */
function requireTruth({ past }: World, key: number, { name, requestId }: Setting["tills"][number], reply: Reply): void {
  const wasSigned = past.signed.some((signature) => {
    // The gates ask neither card nor ledger, and reply about this sale only.
    const isOfIt = signature.key === key || (reply.kind !== "refused" && signature.requestId === requestId);
    return isOfIt && !past.forgotten.includes(signature.bytes);
  });
  const says = reply.kind === "ledger-failed" ? reply.fate : "not-signed";
  must(says !== "not-signed" || !wasSigned, "truth", `${name} hears "${says}", and the card has signed ${requestId}`);
  must(says !== "signed" || wasSigned, "truth", `${name} hears "${says}", and the card has not signed ${requestId}`);
}

/** Delivers what the ledger has for the RequestId of a till, which is final. */
export function handOut(setting: Setting, world: World, index: number): World {
  const { name, requestId } = tillAt(setting, index);
  const entry = ofRequest(world.ledger, requestId);
  must(entry !== undefined && entry.state !== "intent", "answer", `${name} gets a stored answer that is not there`);
  return entry.state === "complete" ? receipt(world, name, requestId, entry.bytes) : world;
}

function receipt(world: World, name: string, requestId: string, bytes: string | undefined): World {
  const { signed, answers } = world.past;
  const signature = signed.find((made) => made.bytes === bytes);
  must(signature !== undefined, "answer", `${name} gets an answer that proves nothing`);
  must(signature.requestId === requestId, "answer", `${name} gets the answer of another invoice`);
  const first = answers[requestId] ?? signature.bytes;
  must(first === signature.bytes, "answer", `${name} gets another answer for ${requestId} than the first time`);
  return withPast(world, { answers: { ...answers, [requestId]: first } });
}
