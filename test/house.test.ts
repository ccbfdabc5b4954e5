/** The house stays small: its lines of code, without texts in several languages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { roomOf } from "./support/rooms.js";

/** Catalogues of texts, and tables. */
const NOT_CODE = /\/texts(\/|\.ts$)|-texts\.ts$|code-pages\.ts$|windows-zones\.ts$/;

const CEILINGS = JSON.parse(readFileSync(join(PACKAGE_ROOT, "test", "ceilings.json"), "utf8")) as {
  readonly linesOfCode: Readonly<Record<string, number>>;
};
const PARTS: Readonly<Record<string, (room: string) => boolean>> = {
  "src without the console": (room) => room.startsWith("src/") && room !== "src/console",
  "the console": (room) => room === "src/console",
  "emulator and harness": (room) => !room.startsWith("src/"),
};

/** Lines of code of each room. */
function linesOfRooms(): Map<string, number> {
  const rooms = new Map<string, number>();
  for (const folder of ["src", "emulator", "harness"]) {
    for (const name of readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })) {
      const file = `${folder}/${name.replaceAll("\\", "/")}`;
      if (!/\.(tsx?|mjs)$/.test(file) || NOT_CODE.test(file)) continue;
      const lines = readFileSync(join(PACKAGE_ROOT, file), "utf8").split("\n").length - 1;
      rooms.set(roomOf(file), (rooms.get(roomOf(file)) ?? 0) + lines);
    }
  }
  return rooms;
}

const rooms = linesOfRooms();

it.each(Object.entries(CEILINGS.linesOfCode))("%s has at most %d lines of code", (part, ceiling) => {
  const those = [...rooms].filter(([room]) => PARTS[part]?.(room));
  const total = those.reduce((sum, [, lines]) => sum + lines, 0);
  const table = those.map(([room, lines]) => `${String(lines).padStart(6)}  ${room}`).join("\n");
  console.log(`${part}: ${total} of ${ceiling} lines\n${table}`);
  expect(total).toBeLessThanOrEqual(ceiling);
});
