/** The catalogue of codes is complete; `tillseal scenario coverage` requires a scenario for each. */
import { expect, it } from "vitest";
import { meaningOfCode } from "../../src/fiscal/code-meanings.js";
import { describeCode, FISCAL_CODES } from "../../src/fiscal/codes.js";
import { toLatin } from "../../src/fiscal/latin.js";
import { openTill, sale } from "../support/till.js";

/** Specification, "Errors". */
const SPECIFIED = ["0000", "0100", "1300", "1400", "1500", "2100", "2110", "2210", "2220", "2310", "2400", "2800"];
/** Protocol facts, section 4. */
const KNOWN = "0210 0220 1100 1999 2230 2801 2802 2803 2804 2805 2806 2807 2808 2809".split(" ");

it("catalogue of codes has every code of the specification and of the protocol facts, and no other", () => {
  expect([...FISCAL_CODES].sort()).toEqual([...SPECIFIED, ...KNOWN].sort());
});

it("catalogue of codes classifies each code by its first digit", () => {
  const types = { 0: "Info", 1: "Warning", 2: "Error" } as const;
  for (const code of FISCAL_CODES) {
    expect(describeCode(code).type, code).toBe(types[Number(code[0]) as 0 | 1 | 2]);
    expect(describeCode(code).meaning).not.toBe("");
  }
});

it("catalogue of codes maps codes to HTTP statuses: 400 for a refusal, 401 for the PIN, 500 for faults of the service or the card", () => {
  const byStatus = (status: number | null) => FISCAL_CODES.filter((code) => describeCode(code).httpStatus === status);
  expect(byStatus(401)).toEqual(["1500"]);
  expect(byStatus(500)).toEqual(["1999", "2220", "2230"]);
});

it("the service says what a code means in the till's language, once, and in English to a till that names none", async () => {
  const till = await openTill({ pinVerified: false });
  const messageIn = async (headers: Record<string, string>) => {
    const { code, message, details } = (await till.sell(sale(), headers)).json();
    expect([code, details]).toEqual(["1500", "Verify it at /api/v3/pin first"]);
    return message;
  };
  expect(await messageIn({})).toBe("PIN required");
  expect(await messageIn({ "Accept-Language": "sr-Cyrl-RS;en-US" })).toBe("Потребан је ПИН");
  expect(await messageIn({ "Accept-Language": "en;q=0.5,sr-Latn-RS" })).toBe("Potreban je PIN");
  expect(await messageIn({ "Accept-Language": "de-DE" })).toBe("PIN required");
  for (const code of FISCAL_CODES) {
    expect(meaningOfCode(code, "sr-Latn")).toBe(toLatin(meaningOfCode(code, "sr-Cyrl")));
    expect(meaningOfCode(code, "sr-Cyrl")).not.toBe(meaningOfCode(code, "en"));
  }
});
