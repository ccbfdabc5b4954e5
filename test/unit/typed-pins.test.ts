/** A PIN that went through the proxy appears in no request and no answer of a recording. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { TypedPins } from "../../harness/proxy/typed-pins.js";

const digits = fc.stringMatching(/^[0-9]{4}$/);

it("TypedPins masks a PIN everywhere in a request, and nothing else", () => {
  fc.assert(
    fc.property(
      digits,
      fc.jsonValue(),
      fc.constantFrom('{"pin":"PIN"}', '"PIN"', "PIN", '{"pin": PIN}'),
      (pin, other, form) => {
        const pins = new TypedPins();
        pins.see("/api/v3/pin", form.replace("PIN", pin));
        const masked = pins.maskedRequest({ cashier: `Ana ${pin}`, [pin]: [pin], order: `1${pin}`, other });
        const { order, other: rest, ...named } = masked;
        expect(JSON.stringify(named)).not.toContain(pin);
        expect(order).toBe(`1${pin}`);
        if (!JSON.stringify(other).includes(pin)) expect(rest).toEqual(other);
      },
    ),
  );
});

it("TypedPins recognises digits written as escapes, and only at the PIN endpoint", () => {
  const pins = new TypedPins();
  pins.see("/api/v3/pin", '{"pin":"\\u00317\\u003531"}');
  pins.see("/api/v3/invoices", "2468");
  expect(pins.maskedRequest(["1753", "17531", "1753 2468"])).toEqual(["1753", "17531", "1753 2468"]);
  pins.see("/api/v3/PIN/", '"\\u0037531"');
  expect(pins.maskedRequest("7531 2468")).toBe("**** 2468");
});

it("TypedPins accepts any text or number where an answer held a PIN", () => {
  fc.assert(
    fc.property(digits, fc.jsonValue(), (pin, other) => {
      const pins = new TypedPins();
      pins.see("/api/v3/pin", pin);
      const loose = pins.looseAnswer({ a: `1${pin}2`, b: Number(`1${pin}`), other });
      expect(loose).toMatchObject({ a: { $type: "string" }, b: { $type: "number" } });
      expect(JSON.stringify(loose).replaceAll(/"[^"]*":/g, "")).not.toContain(pin);
    }),
  );
});
