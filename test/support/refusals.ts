/** A till that refuses everything it gets, and what such a refusal looks like. */
import { expect, onTestFinished } from "vitest";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { type Answer, openTill, sale, type Till } from "./till.js";

export interface Expected {
  readonly code: string;
  readonly property: string;
}

/** At the end of the test the card must have signed nothing and lost no PIN attempt. */
export async function openRefusingTill(): Promise<Till> {
  const till = await openTill();
  onTestFinished(() => expect(till.cardState()).toMatchObject({ totalCounter: 0, pinTriesLeft: 5 }));
  return till;
}

/** The error record names exactly these fields, and its code is the first one's. */
export function expectRecord(answer: Answer, status: number, ...expected: Expected[]): void {
  expect(answer.status).toBe(status);
  const record = answer.json<{ code: string; message: string; details: string; modelState: unknown[] }>();
  expect(FISCAL_CODES).toContain(record.code);
  expect(record.message).not.toBe("");
  expect(record.details).not.toBe("");
  expect(record.code).toBe(expected[0]?.code);
  expect(record.modelState).toEqual(
    expect.arrayContaining(expected.map(({ code, property }) => ({ property, errors: [code] }))),
  );
  expect(record.modelState).toHaveLength(expected.length);
}

export const ITEM = { name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 };

export const oneItem = (overrides: object) => sale({ items: [{ ...ITEM, ...overrides }] });

/** An invoice as text with a number or value that JSON.stringify would not write. */
export const rawItem = (field: string, text: string) => JSON.stringify(oneItem({ [field]: "@" })).replace('"@"', text);
