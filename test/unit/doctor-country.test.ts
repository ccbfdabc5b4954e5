/** What the doctor says about the country's values. */
import { expect, it } from "vitest";
import { checkCountry } from "../../src/doctor/country.js";

it("is content with Serbia, and warns about a country with values without proof", () => {
  expect(checkCountry("RS")).toEqual([
    { subject: "country", verdict: "ok", message: "Serbia: every value has a source" },
  ]);
  expect(checkCountry("FJ")).toMatchObject([
    { subject: "country", verdict: "warn", message: expect.stringMatching(/^Fiji is a preview; unproven: .* compare/) },
  ]);
  expect(checkCountry("XX")).toMatchObject([{ verdict: "warn" }]);
});

it("says nothing without an environment", () => {
  expect(checkCountry(undefined)).toEqual([]);
});
