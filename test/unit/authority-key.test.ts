import { generateKeyPairSync } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";
import { expect, it } from "vitest";
import { AuthorityKeys } from "../../src/authority/authority-key.js";
import type { BytesOutcome, SecureElementState } from "../../src/secure-element/secure-element.js";

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { n = "", e = "" } = publicKey.export({ format: "jwk" });
const EXPORTED = Buffer.concat([Buffer.from(n, "base64url"), Buffer.from(e, "base64url")]);

type Ready = Extract<SecureElementState, { kind: "ready" }>;

function ready(pin: Ready["pin"], session = 1): SecureElementState {
  const identity = { uid: "TESTCARD" } as Ready["identity"];
  return { kind: "ready", identity, session, pin, refuses: undefined, silent: false };
}

const ABSENT: SecureElementState = {
  kind: "no-card",
  reason: "no card",
  why: { code: "no-card" } as never,
  noReader: false,
};

/** A card that counts how often it exports the key, and a store that keeps the key. */
function cardAndStore(state: SecureElementState) {
  const world = {
    state,
    exports: 0,
    stored: undefined as Uint8Array | undefined,
    failure: undefined as Error | undefined,
    during: () => {},
  };
  const card = {
    get state() {
      return world.state;
    },
    async taxAuthorityKey(): Promise<BytesOutcome> {
      world.exports++;
      if (world.failure) throw world.failure;
      world.during();
      return { kind: "ok", bytes: EXPORTED };
    },
  };
  const store = {
    authorityKey: async () => world.stored,
    commit: async (changes: readonly object[]) => {
      for (const change of changes) if ("key" in change) world.stored = change.key as Uint8Array;
    },
  };
  const keys = new AuthorityKeys(card, store as never);
  const remember = async () => {
    keys.remember();
    await settled();
  };
  return { world, keys, remember };
}

it("the service keeps the authority's key as soon as the card's PIN is verified, and asks the card once", async () => {
  const { world, remember } = cardAndStore(ready("verified"));
  await remember();
  expect(world.stored).toEqual(EXPORTED);
  await remember();
  expect(world.exports).toBe(1);
});

it.each([
  ["before the PIN", ready("required")],
  ["without a card", ABSENT],
])("the service does not ask for the authority's key %s", async (_when, state) => {
  const { world, remember } = cardAndStore(state);
  await remember();
  expect(world).toMatchObject({ exports: 0, stored: undefined });
});

it("the service does not ask a card whose key of the authority is stored", async () => {
  const { world, remember } = cardAndStore(ready("verified"));
  world.stored = EXPORTED;
  await remember();
  await remember();
  expect(world.exports).toBe(0);
});

it("the service asks for the authority's key again with the next right PIN after a card that did not give it", async () => {
  const { world, remember } = cardAndStore(ready("verified"));
  world.failure = new Error("the card was pulled out");
  await remember();
  world.failure = undefined;
  await remember();
  expect(world).toMatchObject({ exports: 2, stored: EXPORTED });
});

it("the service does not keep the authority's key if another card may have given it", async () => {
  const { world, keys } = cardAndStore(ready("verified"));
  world.during = () => {
    world.state = ready("verified", 2);
  };
  expect(await keys.of("TESTCARD")).toBeUndefined();
  expect(world.stored).toBeUndefined();
});

it("the service gives the stored key of a card that is not in the reader", async () => {
  const { world, keys } = cardAndStore(ABSENT);
  world.stored = EXPORTED;
  expect((await keys.of("TESTCARD"))?.equals(publicKey)).toBe(true);
});
