/** Asks the emulated authority of a world whether it is there, over HTTP: 0210 and 0220 of status are what came of it. */
import { get } from "node:http";
import type { AuthorityContact } from "../../src/authority/contact.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";

/** ms */
const TIME_LIMIT = 2_000;

/** Any answer will do. @param url of the service, in front of which the authority stands */
export function askAuthority(url: string): Promise<AuthorityContact> {
  return new Promise((resolve) => {
    const request = get(new URL(VERIFICATION_PATH, url), { agent: false, timeout: TIME_LIMIT }, (response) => {
      response.resume();
      resolve("reachable");
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve("not-reachable"));
  });
}
