import { expect, it } from "vitest";
import { controlAddress, serviceAddress } from "../../harness/scenario/remote.js";

it.each([
  "http://localhost:8431",
  "http://localhost:8431/",
  "http://localhost:8431/api/v3",
  "http://localhost:8431/api/v3/",
])("an address on a command line %s is the service", (text) =>
  expect(serviceAddress("<url>", text)).toBe("http://localhost:8431"),
);

it.each(["http://localhost:8432", "http://localhost:8432/control", "http://localhost:8432/control/"])(
  "an address on a command line %s is the control interface",
  (text) => expect(controlAddress("--control-url", text)).toBe("http://localhost:8432"),
);

it("an address on a command line keeps the path of a service behind another one", () => {
  expect(serviceAddress("<url>", "https://shop.test/till-1/api/v3")).toBe("https://shop.test/till-1");
});

it("an address on a command line explains a mistake", () => {
  expect(() => serviceAddress("<url>", "http://localhost:8432/control")).toThrow(
    "a control interface; expected the service",
  );
  expect(() => controlAddress("--control-url", "http://localhost:8431/api/v3")).toThrow(
    "expected its control interface",
  );
  expect(() => serviceAddress("<url>", "localhost:8431")).toThrow("expected an address such as http://localhost:8431");
});
