/** The recording of a real authority (fixtures/environments/sandbox), as sent and in many other spellings, configures a till that sells. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { readCommands } from "../../src/authority/answers.js";
import { bytesIn, contentOf, PayloadError } from "../../src/authority/command-content.js";
import { type AuthorityCommand, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { loadNamedEnvironment, recordedTexts } from "../../src/config/environment.js";
import { EnvironmentInForce } from "../../src/config/environment-in-force.js";
import { environmentsIn, SentEnvironments } from "../../src/config/sent-environments.js";
import { chooseLanguage, nearestLanguage } from "../../src/fiscal/language.js";
import { timeServerOf } from "../../src/fiscal/time-server.js";
import { ianaZone, machineZone, windowsZones } from "../../src/fiscal/time-zone.js";
import { isTimeZone } from "../../src/fiscal/zoned.js";
import { intentOf } from "../../src/fiscalizer/make-intent.js";
import type { CardIdentity, SecureElementState } from "../../src/secure-element/secure-element.js";
import { commandsFor } from "../support/commands.js";
import { invoice } from "../support/invoices.js";
import { newAuthorityLedger } from "../support/ledgers.js";

const UID = "YJLQTEQR";
const NOON = Date.UTC(2026, 5, 1, 12);
const IDENTITY = {
  uid: UID,
  country: "RS",
  taxpayer: { tin: "RS1", businessName: "", locationName: "", address: "", district: "" },
} as unknown as CardIdentity;
const CARD = { identity: IDENTITY, session: 1, pin: "verified", refuses: undefined, silent: false } as const;
const READY: SecureElementState = { kind: "ready", ...CARD };

const { configuration, taxRates } = recordedTexts();
type Json = Readonly<Record<string, unknown>>;
const CONFIGURATION = JSON.parse(configuration) as Json & { readonly endpoints: Json };
const RATES = JSON.parse(taxRates) as { readonly currentTaxRates: Json; readonly allTaxRates: readonly Json[] };

/** A till without an environment file, whose authority's answers are these bodies. */
async function tillWith(...bodies: readonly string[]) {
  const { commands, environments } = await commandsFor(UID, newAuthorityLedger(), { clock: { now: () => NOON } });
  const reports = new Map<string, boolean>();
  for (const body of bodies) {
    await commands.take(UID, readCommands(body), "authority");
    await commands.execute(UID);
    await commands.report(UID, { report: async (id, success) => void reports.set(id, success) });
  }
  return { inForce: inForceWith(READY, environments), reports };
}

/** What applies to the card in the reader, without a file. */
function inForceWith(state: SecureElementState, sent: Pick<SentEnvironments, "of" | "newestUid">) {
  const settings = { fileName: "none", languages: undefined };
  return new EnvironmentInForce({ state }, sent, { environment: undefined }, settings).now();
}

/** What the till signs for 100.00 with a label of the recording. */
function sell({ environment }: Awaited<ReturnType<typeof tillWith>>["inForce"], accepted?: string) {
  if (!environment) throw new Error("the till is not configured");
  const language = chooseLanguage(accepted, environment.languages);
  if (!language) throw new Error("no language");
  return intentOf(
    { invoice: invoice(), language, root: undefined },
    { identity: IDENTITY, environment, stored: () => undefined, now: NOON },
    { journalHeader: "left", numberForm: undefined, answerForm: "specification", requireReferentTime: false, mrc: "" },
  );
}

const command = (type: number, payload: unknown, commandId: string): AuthorityCommand => ({
  commandId,
  type,
  payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  uid: UID,
});

it.each([
  ["each group of rates in a command", RATES.allTaxRates.map((group) => JSON.stringify(group))],
  ["the current group alone", [JSON.stringify(RATES.currentTaxRates)]],
  ["the whole answer about rates, byte for byte", [taxRates]],
])("the service sells with the recorded configuration, byte for byte, and %s", async (_case, payloads) => {
  const commands = [command(7, configuration, "c"), ...payloads.map((payload, i) => command(0, payload, `${i}`))];
  const till = await tillWith(JSON.stringify(commands));
  expect([...till.reports.values()]).toEqual(commands.map(() => true));
  const { environment, unusable } = till.inForce;
  expect(environment).toMatchObject({
    timeZone: "Europe/Belgrade",
    parameters: {
      serverTimeZone: "Central Europe Standard Time",
      supportedLanguages: ["sr-Cyrl-RS", "en-US"],
      ntpServer: "http://0.pool.ntp.org:80/",
      endpoints: { taxAuthorityApi: "https://api.sandbox.suf.purs.gov.rs:443/" },
    },
  });
  expect(unusable).toEqual({ timeZone: undefined, languages: [] });
  expect(sell(till.inForce)).toMatchObject({
    taxGroupRevision: 5,
    language: "sr-Cyrl-RS",
    timeZone: "Europe/Belgrade",
  });
});

it("the service is the environment that a shop's file names sandbox", async () => {
  const till = await tillWith(JSON.stringify([command(7, configuration, "c"), command(0, taxRates, "r")]));
  const sorted = (environment: typeof till.inForce.environment) => ({
    ...environment,
    taxRates: environment?.taxRates.toSorted((a, b) => a.groupId - b.groupId),
  });
  expect(sorted(till.inForce.environment)).toEqual(sorted(loadNamedEnvironment("sandbox")));
});

const word = fc.constantFrom("Београд", "", null, undefined, 7, "a\nb", " x ", {}, []);
const spelling = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => name.charAt(0).toUpperCase() + name.slice(1),
);
const zone = fc.constantFrom(
  "Central Europe Standard Time",
  "central europe standard time",
  "Fiji Standard Time",
  "Samoa Standard Time",
  "Europe/Belgrade",
  "UTC",
  "Moon Standard Time",
  "",
  null,
  undefined,
);
const tags = fc.constantFrom(
  "sr-Cyrl-RS",
  "sr-Cyrl-BA",
  "sr-Latn-BA",
  "sr-Latn-RS",
  "en-GB",
  "en-US",
  "fj-FJ",
  "",
  "?",
  null,
);
const ntp = fc.constantFrom(
  "http://0.pool.ntp.org:80/",
  "0.pool.ntp.org",
  "ntp://t.test/",
  "ntp://t.test:1123",
  "",
  null,
  undefined,
  "a b",
  5,
);
const api = fc.constantFrom(
  { taxCoreApi: "https://api.test:443/" },
  { taxAuthorityApi: "https://api.test:443/" },
  { taxCoreApi: "https://a.test", taxAuthorityApi: "https://b.test" },
  { taxCoreApi: null },
  {},
);
const categoryType = fc.constantFrom<(type: unknown) => unknown>(
  (type) => type,
  (type) => String(type),
  (type) => ["TaxOnNet", "TaxOnTotal", "AmountPerQuantity"][Number(type)],
  (type) => ["taxonnet", "TAXONTOTAL", "amountPerQuantity"][Number(type)],
);
const unreadable = fc.constantFrom<Json>(
  { type: 7, payload: null, uid: UID },
  { type: 0, payload: "{}", uid: null },
  { type: 4, payload: "key", uid: UID },
  { type: 99, payload: "", uid: UID },
  { type: null, payload: "", uid: UID },
  { type: 5, payload: null, uid: UID },
  { type: 7, payload: "null", uid: UID },
);

const variation = fc.record({
  spelling,
  zone,
  tags: fc.option(fc.array(tags, { maxLength: 4 })),
  ntp,
  api,
  logo: fc.constantFrom("https://a.test/logo.png", "", null, undefined),
  words: fc.tuple(word, word, word, word, word),
  categoryType,
  groupIds: fc.uniqueArray(fc.nat(10_000), { minLength: 3, maxLength: 3 }),
  form: fc.constantFrom("one", "list", "each", "answer"),
  unreadable: fc.array(unreadable, { maxLength: 3 }),
  hasProof: fc.boolean(),
  ids: fc.constantFrom<(id: string) => string>(
    (id) => id,
    (id) => id.toUpperCase(),
  ),
});

type Variation = typeof variation extends fc.Arbitrary<infer T> ? T : never;

/** Undefined if a till with these commands sells as it should, else what is wrong. */
function problemWith(varied: Variation): string | undefined {
  const { good, bad } = commandsOf(varied);
  const sent = readCommands(JSON.stringify(respelledBy(varied.spelling, [...bad, ...good]))).map(contentIn);
  for (const [i, { commandId }] of [...bad, ...good].entries()) {
    if (sent[i]?.commandId !== commandId) return `${commandId} is missing`;
    if (sent[i]?.done !== i >= bad.length) return `${JSON.stringify(sent[i])} is not expected`;
  }
  const stored = sent.flatMap(({ content }) => content.map((one) => ({ ...one, intact: true })));
  const byUid = environmentsIn(stored);
  const environments = { of: (uid: string) => byUid.get(uid), newestUid: UID };
  const inForce = inForceWith(READY, environments);
  const shown = inForce.environment?.parameters.serverTimeZone ?? "no environment";
  const { taxGroupRevision, timeZone, taxItems } = sell(inForce);
  const [tax] = taxItems;
  if (shown !== (varied.zone ?? "")) return `the zone ${shown} is shown`;
  if (timeZone !== (ianaZone(shown, "RS") ?? "Europe/Belgrade")) return `the zone is ${timeZone}`;
  if (taxGroupRevision !== varied.groupIds[0]) return `group ${taxGroupRevision} is in force`;
  if (taxItems.length !== 1 || tax?.categoryType !== 0 || tax.amount !== 82_569n) return `the tax is ${tax?.amount}`;
  const languages = inForce.environment?.languages ?? [];
  const wrong = languages.find(({ tag, prints }) => chooseLanguage(tag, languages) !== prints);
  return wrong && `${wrong.tag} is printed otherwise`;
}

function contentIn(received: AuthorityCommand) {
  const { commandId, type } = received;
  try {
    const isProof = type === COMMAND_TYPE.proofOfAudit && bytesIn(received.payload).length === 256;
    return {
      commandId,
      done: true,
      content: isProof ? [] : contentOf({ ...received, uid: UID, receivedAt: NOON, fromFile: false }, undefined),
    };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return { commandId, done: false, content: [] };
  }
}

it("the service sells with each of 10,000 combinations of spellings", () => {
  const property = fc.property(variation, (varied) => {
    const problem = problemWith(varied);
    if (problem !== undefined) throw new Error(problem);
  });
  fc.assert(property, { numRuns: 10_000, seed: 27 });
}, 300_000);

it("the service reports each command of such combinations, and lets none that it cannot read stop the others", async () => {
  const property = fc.asyncProperty(variation, async (varied) => {
    const { good, bad } = commandsOf(varied);
    const till = await tillWith(JSON.stringify(respelledBy(varied.spelling, [...bad, ...good])));
    const expected = [
      ...bad.map(({ commandId }) => [commandId, false]),
      ...good.map(({ commandId }) => [commandId, true]),
    ];
    expect([...till.reports]).toEqual(expected);
    expect(sell(till.inForce).taxGroupRevision).toBe(varied.groupIds[0]);
  });
  await fc.assert(property, { numRuns: 100, seed: 27 });
});

interface Sent extends Json {
  readonly commandId: string;
}

function commandsOf(varied: Variation): { readonly good: readonly Sent[]; readonly bad: readonly Sent[] } {
  const { words, zone: serverTimeZone, tags: supportedLanguages, ntp: ntpServer, logo } = varied;
  const [organizationName, street, city, environmentName, vsdc] = words;
  const { taxCoreApi: _, ...endpoints } = CONFIGURATION.endpoints;
  const parameters = {
    organizationName,
    street,
    city,
    environmentName,
    serverTimeZone,
    supportedLanguages,
    ntpServer,
    logo,
    country: "RS",
    endpoints: { ...endpoints, vsdc, ...varied.api },
  };
  const groups = RATES.allTaxRates.map((group, i) => ({
    ...group,
    groupId: varied.groupIds[i],
    // A few categories are enough, and save time.
    taxCategories: (group.taxCategories as readonly Json[]).slice(i === 0 ? 3 : 6).map((category) => ({
      ...category,
      categoryType: varied.categoryType(category.categoryType),
    })),
  }));
  const [current] = groups;
  const rates = {
    one: [current],
    list: [groups],
    each: groups,
    answer: [{ currentTaxRates: current, allTaxRates: groups }],
  }[varied.form as "one"];
  let number = 0;
  const id = () => varied.ids(`3fa85f64-5717-4562-b3fc-${String(++number).padStart(12, "0")}`);
  const payload = (content: unknown) => JSON.stringify(respelledBy(varied.spelling, content));
  const good = [
    command(7, payload(parameters), id()),
    ...rates.map((content) => command(0, payload(content), id())),
    ...(varied.hasProof ? [command(5, Buffer.alloc(256).toString("base64"), id())] : []),
  ];
  return { good: good.map((one) => ({ ...one })), bad: varied.unreadable.map((one) => ({ ...one, commandId: id() })) };
}

function respelledBy(spell: (name: string) => string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => respelledBy(spell, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [spell(name), respelledBy(spell, content)]));
}

it("a time zone that Windows names is one that this runtime knows, in every territory", () => {
  const zones = [...windowsZones].flatMap(([name, values]) => {
    return values.split(" ").map((value) => [name, ianaZone(name, value.includes("=") ? value.slice(0, 2) : "")]);
  });
  expect(zones.filter(([, known]) => known === undefined || !isTimeZone(known))).toEqual([]);
});

it.each([
  ["Central Europe Standard Time", "RS", "Europe/Belgrade"],
  ["Central Europe Standard Time", "", "Europe/Budapest"],
  ["central europe standard time ", "rs", "Europe/Belgrade"],
  ["Central European Standard Time", "BA", "Europe/Sarajevo"],
  ["Central Pacific Standard Time", "VU", "Pacific/Efate"],
  ["Fiji Standard Time", "FJ", "Pacific/Fiji"],
  ["Samoa Standard Time", "WS", "Pacific/Apia"],
  ["Europe/Belgrade", "FJ", "Europe/Belgrade"],
  ["Moon Standard Time", "RS", undefined],
  ["", "RS", undefined],
])("a time zone %j in %j is %s", (name, country, expected) => {
  expect(ianaZone(name, country)).toBe(expected);
});

it("a time zone that is unknown keeps the one in force, and says so", async () => {
  const unknown = { ...CONFIGURATION, serverTimeZone: "Moon Standard Time" };
  const fiji = { ...CONFIGURATION, serverTimeZone: "Fiji Standard Time" };
  const first = JSON.stringify([command(7, fiji, "a"), command(0, taxRates, "b")]);
  const { inForce } = await tillWith(first, JSON.stringify([command(7, unknown, "c")]));
  expect(inForce.environment).toMatchObject({
    timeZone: "Pacific/Fiji",
    parameters: { serverTimeZone: "Moon Standard Time" },
  });
  expect(inForce.unusable.timeZone).toBe("Moon Standard Time");
});

it("a time zone that is unknown from the beginning is the card's country's, else the machine's", async () => {
  const unknown = { ...CONFIGURATION, serverTimeZone: "Moon Standard Time" };
  const ledger = newAuthorityLedger();
  const one = { uid: UID, key: "", receivedAt: 0, source: "authority", fileUntil: null } as const;
  const sent = (name: "parameters" | "rates", value: unknown) =>
    ({ kind: "sent", sent: { ...one, name, value: JSON.stringify(value) } }) as const;
  await ledger.commit([sent("parameters", unknown), sent("rates", RATES.currentTaxRates)]);
  const environments = await SentEnvironments.load(ledger);
  const zoneOf = (country: string) => {
    const state = { ...READY, identity: { ...IDENTITY, country } };
    return inForceWith(state, environments).environment?.timeZone;
  };
  expect([zoneOf("RS"), zoneOf("FJ"), zoneOf("XX")]).toEqual(["Europe/Belgrade", "Pacific/Fiji", machineZone()]);
});

it.each([
  ["sr-Cyrl-BA", "sr-Cyrl-RS"],
  ["sr-Latn-BA", "sr-Latn-RS"],
  ["sr", "sr-Cyrl-RS"],
  ["sr-ME", "sr-Latn-RS"],
  ["sr_Cyrl_RS", "sr-Cyrl-RS"],
  ["en-GB", "en-US"],
  ["en", "en-US"],
  ["EN-fj", "en-US"],
  ["fj-FJ", undefined],
  ["bs-Latn-BA", undefined],
  ["not a tag", undefined],
  ["", undefined],
])("the service prints %j as %s", (tag, language) => {
  expect(nearestLanguage(tag)).toBe(language);
});

it("the service shows the authority's tags, takes them and ours, and names a language that it cannot print", async () => {
  const bosnia = { ...CONFIGURATION, supportedLanguages: ["sr-Cyrl-BA", "sr-Latn-BA", "bs-Latn-BA", "en-GB"] };
  const { inForce } = await tillWith(JSON.stringify([command(7, bosnia, "a"), command(0, taxRates, "b")]));
  expect(inForce.environment?.parameters.supportedLanguages).toEqual(bosnia.supportedLanguages);
  expect(inForce.unusable.languages).toEqual(["bs-Latn-BA"]);
  const printed = [undefined, "sr-Latn-BA", "sr-Latn-RS", "en-GB", "en-US", "sr-Cyrl-BA"];
  expect(printed.map((accepted) => sell(inForce, accepted).language)).toEqual([
    "sr-Cyrl-RS",
    "sr-Latn-RS",
    "sr-Latn-RS",
    "en-US",
    "en-US",
    "sr-Cyrl-RS",
  ]);
});

it.each([
  ["http://0.pool.ntp.org:80/", "0.pool.ntp.org", undefined],
  ["https://time.test/ntp", "time.test", undefined],
  ["0.pool.ntp.org", "0.pool.ntp.org", undefined],
  ["time.test:1123", "time.test", 1123],
  ["ntp://time.test:1123/", "time.test", 1123],
  ["NTP://time.test", "time.test", undefined],
  ["[::1]", "[::1]", undefined],
])("the service asks the time server %j at %s", (address, host, port) => {
  expect(timeServerOf(address)).toEqual({ host, port });
});

it.each(["", "not an address", "http://", "ntp://user:pass@time.test", `${"a".repeat(2_001)}`])(
  "the service has no time server in %j",
  (address) => {
    expect(timeServerOf(address)).toBeUndefined();
  },
);

it("the service compares ids of commands as GUIDs, executes a repeated one once, and sends each back as it came", async () => {
  const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const first = command(7, configuration, id);
  const { reports } = await tillWith(
    JSON.stringify([first, command(0, taxRates, "r")]),
    JSON.stringify([{ ...first, commandId: id.toUpperCase(), payload: "null" }]),
  );
  expect([...reports].map(String)).toEqual([`${id},true`, "r,true", `${id.toUpperCase()},true`]);
});
