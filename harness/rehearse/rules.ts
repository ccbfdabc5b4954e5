/** All rules for the traffic of a POS, in the order of the list. */
import type { Rule, UntitledRule } from "./rule.js";
import { ANSWER_RULES } from "./rules/answers.js";
import { FIELD_RULES } from "./rules/fields.js";
import { ITEM_RULES } from "./rules/items.js";
import { PAYMENT_RULES } from "./rules/payments.js";
import { RECEIPT_RULES } from "./rules/receipts.js";
import { LABEL_RULE, REFUSED_RULE } from "./rules/refusals.js";
import { SERVICE_RULES } from "./rules/service.js";
import { textsOf } from "./texts.js";

const UNTITLED: readonly UntitledRule[] = [
  ...SERVICE_RULES,
  ...ANSWER_RULES,
  REFUSED_RULE,
  LABEL_RULE,
  ...ITEM_RULES,
  ...PAYMENT_RULES,
  ...RECEIPT_RULES,
  ...FIELD_RULES,
];

export const RULES: readonly Rule[] = UNTITLED.map((rule) => ({ ...rule, ...textsOf(rule.id, "english") }));
