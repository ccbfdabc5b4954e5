/** Bodies that are JSON already. */
import type { Response } from "express";

export function sendJsonText(response: Response, json: string): void {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.end(json);
}
