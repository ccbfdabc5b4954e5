/** Derives the codes of the status (docs/interface.md, "Status record") and of /ready from the findings. */
import type { AuthorityContact } from "../authority/contact.js";
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import { readyUid } from "../secure-element/secure-element.js";
import { isTestCard } from "./conditions.js";
import type { Facts } from "./facts.js";
import type { Finding, FindingCode } from "./finding.js";
import { FINDING_KEYS, FINDINGS } from "./findings.js";
import { ENGLISH } from "./texts/english.js";

const AUTHORITY_CODES: Readonly<Record<AuthorityContact, readonly FiscalCode[]>> = {
  "not-asked": [],
  reachable: ["0210"],
  "not-reachable": ["0220"],
};
/** The codes of refusing findings about these parts come first in `gsc`; without one, `gsc` has 0100. */
const CARD_PARTS: ReadonlySet<Finding["affects"]> = new Set(["reader", "card", "PIN"]);

/** The findings for the status of a card. A report about another card belongs to that card's status. */
export function ofThisCard(findings: readonly Finding[], { state }: Pick<Facts, "state">): Finding[] {
  const uid = readyUid(state);
  return findings.filter(({ affects, values: { cards } }) => {
    const isAboutCards = cards !== undefined && affects !== "sales in doubt";
    return !isAboutCards || uid === undefined || String(cards).split(", ").includes(uid);
  });
}

/** The codes of `gsc`. What refuses the next sale comes before 0100. */
export function generalCodes(findings: readonly Finding[], contact: AuthorityContact): FiscalCode[] {
  const codesOf = (some: readonly Finding[]) =>
    some.map(({ code }) => (isOwn(code) ? "1999" : code)) as readonly FiscalCode[];
  const refusing = findings.filter(({ refusal }) => refusal !== null);
  const card = codesOf(refusing.filter(({ affects }) => CARD_PARTS.has(affects)));
  const pointsToOwn = findings.some(({ key, code }) => isOwn(code) && !FINDINGS[key].quiet);
  return [
    ...new Set<FiscalCode>([
      ...card,
      ...codesOf(refusing),
      ...(card.length === 0 ? (["0100"] as const) : []),
      ...AUTHORITY_CODES[contact],
      ...codesOf(findings.filter(({ code }) => !isOwn(code))),
      ...(pointsToOwn ? (["1999"] as const) : []),
    ]),
  ];
}

/** The codes of `mssc`, sorted. With the emulator, a test card is no finding, but its code is here. */
export function makerCodes(findings: readonly Finding[], facts: Pick<Facts, "state">): string[] {
  const codes = findings.map(({ code }) => code).filter(isOwn);
  return [...new Set([...codes, ...(isTestCard(facts) ? [FINDINGS.testCard.code] : [])])].toSorted();
}

/** The codes with which the next sale would be refused; empty if it would be signed. */
export function missingToSell(findings: readonly Finding[]): ErrorCode[] {
  return [...new Set(findings.flatMap(({ refusal }) => refusal ?? []))];
}

/** Whether a code is our own: 9000 to 9999. */
export function isOwn(code: FindingCode): boolean {
  return code.startsWith("9");
}

/** Each of our own codes with its meaning. In a meaning, `N` stands for a value. */
export function ownCodes(): { readonly code: string; readonly meaning: string }[] {
  const codes = [...new Set(FINDING_KEYS.map((key) => FINDINGS[key].code).filter(isOwn))].toSorted();
  return codes.map((code) => {
    const keys = FINDING_KEYS.filter((key) => FINDINGS[key].code === code);
    // `N` stands for a value.
    const meaning = keys.map((key) => ENGLISH[key].sentence.replaceAll(/\{\w+\}/g, "N")).join(" Or: ");
    return { code, meaning };
  });
}
