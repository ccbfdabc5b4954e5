/** Calls an HTTPS server whose certificate a CA of its own has signed. */
import { type RequestOptions, request } from "node:https";
import { text } from "node:stream/consumers";

export interface Exchanged {
  readonly status: number;
  readonly content: string;
}

export function exchange(url: string | URL, options: RequestOptions, body?: Uint8Array): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, content }), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
