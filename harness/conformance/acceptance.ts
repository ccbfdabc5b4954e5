/** Acceptance cases of one tax authority, and the evidence that a run gives for each case. */
import { type Case, together } from "./case.js";

const AT_LIMIT = "it needs a card at its limit and an audit by a tax authority";
const ON_STICK = "it is done with a USB stick and the authority's portal, not over the interface";

interface Known {
  readonly id: string;
  readonly about: string;
  /** Why this suite cannot show the case. */
  readonly beyond?: string;
}

const numbered = (prefix: string, first: number, abouts: readonly string[], beyond?: string): Known[] =>
  abouts.map((about, i) => ({
    id: `${prefix}-${String(first + i).padStart(3, "0")}`,
    about,
    ...(beyond === undefined ? {} : { beyond }),
  }));

const PAIRS = ["Normal", "Proforma", "Copy", "Training", "Advance"].flatMap((type) => [
  `${type} Sale`,
  `${type} Refund`,
]);

export const ACCEPTANCE: readonly Known[] = [
  ...numbered("ONLINE", 1, ["sell with a connection, proof of audit included", "stop at the limit"], AT_LIMIT),
  ...numbered("OFFLINE", 1, ["stop at the limit without a connection"], AT_LIMIT),
  ...numbered(
    "OFFLINE",
    2,
    [
      "export to a stick",
      "files on the stick",
      "upload at the portal",
      "download at the portal",
      "import commands",
      "file of results",
      "upload of results",
    ],
    ON_STICK,
  ),
  ...numbered("API", 1, ["last signed invoice"]),
  ...numbered("API", 2, ["selling while a local audit runs"], ON_STICK),
  ...numbered("RECEIPT", 1, PAIRS),
  ...numbered("STATE", 1, [
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
  ]),
];

export interface Evidence {
  readonly id: string;
  readonly about: string;
  readonly outcome: Case["outcome"];
  /** Titles of the suite's cases that show the acceptance case, or why no case shows it. */
  readonly evidence: string;
}

export function evidenceIn(cases: readonly Case[]): Evidence[] {
  return ACCEPTANCE.map(({ id, about, beyond }) => {
    const own = cases.filter(({ acceptance }) => acceptance.includes(id));
    const tested = own.filter(({ outcome }) => outcome !== "not tested");
    const titles = [...new Set(tested.map(({ title }) => title))].join(", ");
    const reasons = [...new Set(own.flatMap(({ reason }) => reason ?? []))].join("; ");
    return { id, about, outcome: together(own), evidence: titles || reasons || (beyond ?? "no case was reached") };
  });
}
