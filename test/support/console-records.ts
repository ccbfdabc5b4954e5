/** What the console's pages read from a service. */
import { expect } from "vitest";
import type { Till } from "./till.js";

/** @param path below /console, such as `/till` */
export async function consoleRecord<T>(till: Pick<Till, "call">, path: string): Promise<T> {
  const answer = await till.call("GET", `/console${path}`);
  expect(answer.status).toBe(200);
  return answer.json<T>();
}
