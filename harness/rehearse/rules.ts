/** All rules for the traffic of a POS, in the order of the list. */
import type { Rule } from "./rule.js";
import { FIELD_RULES } from "./rules/fields.js";
import { ITEM_RULES } from "./rules/items.js";
import { PAYMENT_RULES } from "./rules/payments.js";
import { RECEIPT_RULES } from "./rules/receipts.js";
import { SERVICE_RULES } from "./rules/service.js";

export const RULES: readonly Rule[] = [
  ...SERVICE_RULES,
  ...ITEM_RULES,
  ...PAYMENT_RULES,
  ...RECEIPT_RULES,
  ...FIELD_RULES,
];
