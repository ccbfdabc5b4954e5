/**
 * What an authority asks of a fiscal service before the approval: the cases of its acceptance test (protocol facts, section 9), and
 * its other demands. docs/approval.md is made from this list.
 */
import type { Scenario } from "../../harness/scenario/scenario.js";

/** Who has to provide the evidence of a row. */
export type Owner = "we" | "the shop" | "the authority";

export interface ApprovalRow {
  readonly id: string;
  /** What the authority asks of the service. */
  readonly asks: string;
  readonly owner: Owner;
  /** Files of this repository and commands that show the row, in addition to the scenarios with its tag. */
  readonly evidence: readonly string[];
  /** What the evidence still lacks; undefined if nothing is missing. */
  readonly missing?: string;
}

const casesOf = (prefix: string, ...asked: readonly string[]): ApprovalRow[] =>
  asked.map((asks, i) => ({ id: `${prefix}-${String(1 + i).padStart(3, "0")}`, asks, owner: "we", evidence: [] }));

const PAIRS = ["Normal", "Proforma", "Copy", "Training", "Advance"].flatMap((type) => [
  `${type} Sale`,
  `${type} Refund`,
]);

/** The cases of the acceptance test. Each lacks a card of the authority, as the page says. */
export const CASES: readonly ApprovalRow[] = [
  ...casesOf("ONLINE", "sell with a connection, proof of audit included", "stop at the limit"),
  ...casesOf(
    "OFFLINE",
    "stop at the limit without a connection",
    "export to a stick",
    "files on the stick",
    "upload at the portal",
    "download at the portal",
    "import commands",
    "file of results",
    "upload of results",
  ),
  ...casesOf("API", "last signed invoice", "selling while a local audit runs"),
  ...casesOf("RECEIPT", ...PAIRS),
  ...casesOf(
    "STATE",
    "card removed: the service stops selling",
    "card inserted again: PIN needed",
    "status",
    "attention",
    "no card, environment parameters",
    "no card, status",
    "no card, PIN",
    "no card, invoice",
    "no card, invoice by id",
    "a sample invoice",
    "one with buyer, GTIN and Unicode",
    "no PIN, status",
    "no PIN, invoice",
    "wrong PIN",
    "right PIN",
    "status after the PIN",
  ),
];

/** The other demands of the authority. */
export const DEMANDS: readonly ApprovalRow[] = [
  { id: "DOC-001", asks: "a brochure in Serbian", owner: "we", evidence: [], missing: "the brochure" },
  { id: "DOC-002", asks: "a user manual in Serbian", owner: "we", evidence: ["docs/manuals/user.sr.md"] },
  {
    id: "DOC-003",
    asks: "an installation manual in Serbian",
    owner: "we",
    evidence: ["docs/manuals/installation.sr.md"],
  },
  {
    id: "DOC-004",
    asks: "maker, serial number and version are visible on the product",
    owner: "we",
    evidence: ["tillseal status", "tillseal --version", "test/http/serial-number.test.ts"],
    missing: "the name of the maker that asks for the approval: a shop's package has the setting deviceMake",
  },
  {
    id: "REVIEW-003",
    asks: "the result of a vendor's analyser with 28 steps",
    owner: "the authority",
    evidence: [],
    missing: "the analyser, which is not public",
  },
  {
    id: "MRC",
    asks: "`mrc` begins with two codes that the authority assigns to the maker, such as 00-1002",
    owner: "the authority",
    evidence: ["test/http/serial-number.test.ts"],
    missing: "the two codes; the setting makerCodes takes them",
  },
  {
    id: "HASH",
    asks: "a published hash of the approved program; every change of function is approved anew",
    owner: "we",
    evidence: ["docs/releasing.md"],
    missing: "an approved version",
  },
  {
    id: "STICK",
    asks: "a stick that is put in is noticed, and a local audit offered; selling goes on during it",
    owner: "we",
    evidence: ["scenarios/audit/sales-during-a-local-audit.yaml", "test/console/audit.spec.ts"],
    missing:
      "the service does not notice a stick: a person starts the local audit in the console or with tillseal audit",
  },
  {
    id: "TIME",
    asks: "the time is compared with a source",
    owner: "we",
    evidence: ["scenarios/status/clock-ahead.yaml", "test/unit/time-watch.test.ts"],
  },
  {
    id: "KEEP",
    asks: "packages are kept until a proof covers them, encrypted on the device (one country)",
    owner: "the shop",
    evidence: ["docs/decisions/0033-encrypted-packages.md", "test/http/audit.test.ts"],
    missing: "the receipts in the store are in clear: the shop encrypts its disk",
  },
  {
    id: "CARD",
    asks: "after an exchange of the card: the old receipts are audited first (one country)",
    owner: "the shop",
    evidence: [
      "docs/decisions/0034-new-card.md",
      "test/http/card-counters.test.ts",
      "test/http/audit-old-card.test.ts",
    ],
    missing: "by default the new card sells at once; with `newCard: waits` it waits for the audit of the old card",
  },
];

/** Returns the scenarios that show a row. They have the id of the row as a tag. */
export function scenariosOf({ id }: ApprovalRow, scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.filter(({ tags }) => tags.includes(id));
}
