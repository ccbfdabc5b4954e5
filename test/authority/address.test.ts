/** Addresses of the authority, as certificates and people write them. */
import { expect, it } from "vitest";
import { apiBase } from "../../src/authority/address.js";

it.each([
  ["https://api.example", "https://api.example/api/v3/"],
  ["https://api.example/", "https://api.example/api/v3/"],
  ["https://api.example:443", "https://api.example/api/v3/"],
  ["https://api.example//", "https://api.example/api/v3/"],
  [" https://api.example ", "https://api.example/api/v3/"],
  ["api.example:8434", "https://api.example:8434/api/v3/"],
  ["https://api.example/api", "https://api.example/api/v3/"],
  ["https://api.example/API/v3/", "https://api.example/api/v3/"],
  ["host.example/http://office", "https://host.example/http://office/api/v3/"],
  ["https://host.example/tax/office", "https://host.example/tax/office/api/v3/"],
  ["https://[::1]:8434", "https://[::1]:8434/api/v3/"],
  ["https://api.example/?a=b#c", "https://api.example/api/v3/"],
  ["http://127.0.0.1:9000", "http://127.0.0.1:9000/api/v3/"],
  ["http://localhost:9000/", "http://localhost:9000/api/v3/"],
  ["http://[::1]:9000/", "http://[::1]:9000/api/v3/"],
])("the address of the authority's API %s leads to %s", (address, base) => {
  expect(apiBase(address).href).toBe(base);
});

it.each([
  ["", "there is no address"],
  ["  ", "there is no address"],
  ["https://", "is not an address"],
  ["http://api.example", "is not safe"],
  ["http://localhost.example", "is not safe"],
  ["ftp://api.example", "is not safe"],
  ["https://user:secret@api.example", "user name or password"],
])("the address of the authority's API %s is refused: %s", (address, problem) => {
  expect(() => apiBase(address)).toThrow(problem);
  expect(() => apiBase(address)).not.toThrow("secret");
});
