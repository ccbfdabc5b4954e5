/** All rules for the traffic of a POS, in the order of the list. */
import type { Rule } from "./rule.js";
import { ADVANCE_A_DAY_BEFORE } from "./rules/advance-a-day-before.js";
import { ADVANCE_CLOSED } from "./rules/advance-closed.js";
import { ALL_PAYMENTS_AT_ONCE } from "./rules/all-payments-at-once.js";
import { BUYER_FORM } from "./rules/buyer.js";
import { BUYER_OPTIONAL } from "./rules/buyer-optional.js";
import { CANCELLED } from "./rules/cancelled.js";
import { CASH_BACK } from "./rules/cash-back.js";
import { CASHIER } from "./rules/cashier.js";
import { CORPORATE_CARD } from "./rules/corporate-card.js";
import { DISCOUNT } from "./rules/discount.js";
import { GTIN } from "./rules/gtin.js";
import { LABELS_OF_THE_SERVICE } from "./rules/labels-of-the-service.js";
import { LOCAL_RECEIPT } from "./rules/local-receipt.js";
import { LOST_ANSWER } from "./rules/lost-answer.js";
import { NO_NEW_REQUEST_ID } from "./rules/no-new-request-id.js";
import { ONLINE_RETURN } from "./rules/online-return.js";
import { ONLINE_TWICE } from "./rules/online-twice.js";
import { ORIGINAL_NAMED } from "./rules/original-named.js";
import { PAYMENT_TWICE } from "./rules/payment-twice.js";
import { EVERY_PAYMENT_TYPE } from "./rules/payment-types.js";
import { PIN_AFTER_CARD } from "./rules/pin-after-card.js";
import { POS_NUMBER_FORM } from "./rules/pos-number.js";
import { POS_TIME } from "./rules/pos-time.js";
import { REQUIRED_FIELDS } from "./rules/required-fields.js";
import { RESERVED_BEGINNINGS } from "./rules/reserved-beginnings.js";
import { ROUNDING } from "./rules/rounding.js";
import { ROUNDING_SET } from "./rules/rounding-set.js";
import { SAMPLE_RECEIPTS } from "./rules/sample-receipts.js";
import { SEVERAL_LABELS } from "./rules/several-labels.js";
import { SEVERAL_PAYMENTS } from "./rules/several-payments.js";
import { STATE_AT_START } from "./rules/state-at-start.js";
import { TEN_PAIRS } from "./rules/ten-pairs.js";
import { THREE_DECIMALS } from "./rules/three-decimals.js";
import { UNIT_OF_MEASURE } from "./rules/unit-of-measure.js";

export const RULES: readonly Rule[] = [
  STATE_AT_START,
  PIN_AFTER_CARD,
  NO_NEW_REQUEST_ID,
  LOST_ANSWER,
  DISCOUNT,
  EVERY_PAYMENT_TYPE,
  SEVERAL_PAYMENTS,
  PAYMENT_TWICE,
  GTIN,
  ORIGINAL_NAMED,
  ADVANCE_CLOSED,
  THREE_DECIMALS,
  ROUNDING,
  LABELS_OF_THE_SERVICE,
  SEVERAL_LABELS,
  TEN_PAIRS,
  BUYER_FORM,
  BUYER_OPTIONAL,
  CASHIER,
  REQUIRED_FIELDS,
  POS_TIME,
  POS_NUMBER_FORM,
  UNIT_OF_MEASURE,
  RESERVED_BEGINNINGS,
  CANCELLED,
  CASH_BACK,
  CORPORATE_CARD,
  SAMPLE_RECEIPTS,
  LOCAL_RECEIPT,
  ADVANCE_A_DAY_BEFORE,
  ALL_PAYMENTS_AT_ONCE,
  ROUNDING_SET,
  ONLINE_RETURN,
  ONLINE_TWICE,
];
