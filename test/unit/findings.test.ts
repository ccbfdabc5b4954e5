/** The findings of a till: every one of them, at every place that shows it. */
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { inEnglish } from "../../src/console/in-english.js";
import { verdictOf } from "../../src/console/verdict.js";
import { ok, withFindings } from "../../src/doctor/check.js";
import { toLatin } from "../../src/fiscal/latin.js";
import { Metrics } from "../../src/http/metrics.js";
import { CARD_REASONS } from "../../src/secure-element/card-reason.js";
import { Announcer } from "../../src/state/announcer.js";
import type { Facts } from "../../src/state/facts.js";
import type { Finding } from "../../src/state/finding.js";
import { FINDING_KEYS, FINDINGS, findingsOf } from "../../src/state/findings.js";
import type { ServiceState } from "../../src/state/service-state.js";
import { generalCodes, isOwn, makerCodes, missingToSell, ownCodes } from "../../src/state/status-codes.js";
import { ENGLISH, type FindingKey } from "../../src/state/texts/english.js";
import { SERBIAN } from "../../src/state/texts/serbian.js";
import { inEnglish as findingInEnglish, findingText } from "../../src/state/texts.js";
import { EXAMPLES, WELL } from "../support/finding-examples.js";
import { parseMetrics } from "../support/prometheus.js";

const LANGUAGES = ["en", "sr-Cyrl", "sr-Latn"] as const;

/** Findings that also apply in an example, because one follows from the other. */
const ALSO: Partial<Record<FindingKey, readonly FindingKey[]>> = { limitReached: ["auditDue"] };

function stateOf(facts: Facts): ServiceState {
  const findings = findingsOf(facts);
  const codes = generalCodes(findings, facts.contact.contact);
  const shown = { findings, codes, makerCodes: makerCodes(findings, facts) };
  return { ...facts, lastNumber: "", age: 0, auditRequired: false, ...shown };
}

function shownIn(language: (typeof LANGUAGES)[number], findings: readonly Finding[]) {
  const ready = { sentence: "READY", advice: "GO" };
  return verdictOf(findings, { text: (finding) => findingText(language, finding), ready });
}

const logged = (lines: string[]) => pino({ level: "info" }, { write: (line: string) => void lines.push(line) });

it("the list of findings finds nothing at a till that can sell", () => {
  expect(findingsOf(WELL)).toEqual([]);
  expect(stateOf(WELL)).toMatchObject({ codes: ["0100", "0210"], makerCodes: [] });
  expect(shownIn("en", [])).toMatchObject({ mood: "good", sentence: "READY" });
});

describe.each(FINDING_KEYS)("%s", (key) => {
  const facts = { ...WELL, ...EXAMPLES[key] };
  const service = stateOf(facts);
  const { findings } = service;
  const [finding] = findings as [Finding];

  it("a finding applies, and only with what follows from it", () => {
    expect(findings.map((one) => one.key)).toEqual([key, ...(ALSO[key] ?? [])]);
  });

  it("a finding is in status: its code, or its own code and 1999", () => {
    const { codes, makerCodes: own } = service;
    if (isOwn(finding.code)) {
      expect(own).toEqual([finding.code]);
      expect(codes.includes("1999")).toBe(!FINDINGS[key].quiet);
    } else {
      expect(own).toEqual([]);
      expect(codes).toContain(finding.code);
    }
    // 0100 comes first exactly if the till sells.
    const refusing = isOwn(finding.code) ? "1999" : finding.code;
    expect(codes[0]).toBe(finding.refusal === null ? "0100" : refusing);
  });

  it("a finding refuses the next sale in /ready and in the metrics exactly if it stops sales", () => {
    const refused = finding.severity !== "warns";
    expect(missingToSell(findings)).toEqual(refused ? [finding.refusal] : []);
    const measured = { queued: 0, queueLimit: 256, lastBackup: undefined };
    const { value } = parseMetrics(new Metrics().text(service, measured));
    expect(value("tillseal_ready")).toBe(refused ? 0 : 1);
    const labels = `finding="${key}",code="${finding.code}",severity="${finding.severity}"`;
    expect(value(`tillseal_finding{${labels}}`)).toBe(1);
  });

  it("a finding is logged once with what to do, and once more when it is over", () => {
    const lines: string[] = [];
    const { announce } = new Announcer(logged(lines));
    for (const state of [service, service, stateOf(WELL)]) announce(state);
    const about = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.finding === key);
    const { sentence, advice } = findingInEnglish(finding);
    expect(about).toMatchObject([
      { level: finding.severity === "waits" ? 30 : 40, code: finding.code, msg: `${sentence} ${advice}` },
      { level: 30, code: finding.code },
    ]);
  });

  it.each(LANGUAGES)("a finding is the first sentence of console and `status`, with all values, in %s", (language) => {
    const { mood, sentence, advice, codes, further } = shownIn(language, findings);
    const text = findingText(language, finding);
    expect([sentence.endsWith(text.sentence), advice]).toEqual([true, text.advice]);
    expect(`${sentence} ${advice}`).not.toMatch(/[{}]/);
    expect(mood).toBe(finding.severity === "stops" ? "bad" : "care");
    expect(codes).toContain(finding.code);
    expect(further).toEqual([]);
  });

  it("a finding is in the doctor's line of what it affects", () => {
    const { sentence, advice } = findingInEnglish(finding, true);
    const lines = withFindings([ok("program", "tillseal"), ok(finding.affects, "seen")], findings);
    const line = lines.find(({ subject }) => subject === finding.affects);
    expect(line?.verdict).toBe(finding.severity === "stops" ? "fail" : "warn");
    expect(line?.message).toContain(`seen. ${sentence} ${advice}`);
    expect(line?.message).not.toContain("tillseal doctor");
    expect(withFindings([], findings).find(({ subject }) => subject === finding.affects)?.message).toContain(sentence);
  });

  it("a finding is called ready exactly if this card sells and no sale is in doubt", () => {
    const ready = finding.severity === "warns" && finding.affects !== "sales in doubt" && key !== "wasDisabled";
    expect(shownIn("en", findings).sentence.startsWith("READY")).toBe(ready);
  });

  it("a finding has texts with the same values in each language", () => {
    const places = (text: object) => (JSON.stringify(text).match(/\{\w+\}/g) ?? []).toSorted();
    expect(places(SERBIAN[key])).toEqual(places(ENGLISH[key]));
    expect(findingText("sr-Latn", { key, values: {} }).sentence).toBe(toLatin(SERBIAN[key].sentence));
  });
});

it.each(FINDING_KEYS)("a finding does not speak of this card while there is none in the reader: %s", (key) => {
  const { noCard } = EXAMPLES;
  const texts = findingsOf({ ...WELL, ...EXAMPLES[key], oldCard: undefined, ...noCard }).flatMap((finding) =>
    LANGUAGES.map((language) => JSON.stringify(findingText(language, finding))),
  );
  expect(
    texts.filter((text) => /this card|(?<!\p{L})(ова|ову|овом) картиц|(?<!\p{L})(ova|ovu|ovom) kartic/iu.test(text)),
  ).toEqual([]);
});

it("a finding about a receipt that was never sent does not name an answer of the authority", () => {
  const wrongPackages = [{ entry: 1, number: "A-A-7", status: null, at: 0 }];
  const found = findingsOf({ ...WELL, wrongPackages });
  expect(found.map((finding) => findingText("en", finding).sentence)).toEqual([
    "Damaged receipts cannot be sent to the tax authority: 7.",
  ]);
});

it.each(CARD_REASONS)("a state without a usable card is a finding that refuses the next sale, also for %s", (code) => {
  for (const kind of ["no-card", "unreachable", "unsupported"] as const) {
    const state = { kind, reason: "", why: { code }, noReader: false };
    const { findings, codes } = stateOf({ ...WELL, state });
    expect([missingToSell(findings), codes[0]]).toEqual([[codes[0]], findings[0]?.refusal]);
  }
});

it("several findings begin with the receipt that is only in memory, whatever else is wrong", () => {
  for (const key of FINDING_KEYS) {
    const facts: Facts = { ...WELL, ...EXAMPLES[key], doubts: { ...WELL.doubts, unwritten: 1 } };
    const { sentence, further } = shownIn("en", findingsOf(facts));
    expect(sentence).toBe("One receipt is not saved yet. Do not switch off.");
    const others = ["held", "inDoubt", "otherInDoubt", "swapped", "back", "behind", "lost", "unproven"];
    if (!others.includes(key)) expect(further[0]).toBe(findingInEnglish({ key, values: valuesOf(key) }).sentence);
  }
});

it("several findings show each other finding in a sentence below the first", () => {
  const facts: Facts = { ...WELL, ...EXAMPLES.pinNeeded, ...EXAMPLES.inDoubt, ...EXAMPLES.diskLow };
  const { sentence, further } = shownIn("en", findingsOf(facts));
  expect([sentence, further]).toEqual([
    "The card waits for its PIN.",
    ["A sale is in doubt. No other sale is signed.", "The disk is nearly full: 499 MiB are free."],
  ]);
});

function valuesOf(key: FindingKey) {
  return findingsOf({ ...WELL, ...EXAMPLES[key] })[0]?.values ?? {};
}

it("the list of findings documents each own code once", () => {
  const own = new Set(FINDING_KEYS.map((key) => FINDINGS[key].code).filter(isOwn));
  expect(ownCodes().map(({ code }) => code)).toEqual([...own].toSorted());
});

it('the console\'s "ready" is a text of its own', () => {
  expect(inEnglish("ready")).toBe("Ready to sell.");
});
