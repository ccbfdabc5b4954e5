import { allSeen, MANUAL_TEST, type Rule } from "../rule.js";
import { samplesOf } from "../samples.js";

export const SAMPLE_RECEIPTS: Rule = {
  id: "SAMPLES",
  text: "Fifteen sample receipts are handed in: the ten pairs of types with a buyer, and the five kinds of Sale without.",
  source: `${MANUAL_TEST}, sample receipts`,
  todo: "Issue each receipt that is missing.",
  change: "Offer a buyer for every pair of types.",
  judge: (session) => {
    const samples = new Map(samplesOf(session).map(({ name, sale }) => [name, sale]));
    return allSeen([...samples.keys()], (name) => samples.get(name));
  },
};
