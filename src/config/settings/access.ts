/** Settings for who may call the service, and for the device's name in the status. */
import { HAS_EMULATOR } from "../../base/package-root.js";
import { textLike } from "../../schema/json-schema.js";
import { BOOLEAN, type SettingRows, TEXT } from "./row.js";

export const ACCESS_SETTINGS = {
  allowedHosts: {
    schema: { type: "array", items: TEXT },
    default: [],
    description: "host names under which the service may be called, besides localhost and addresses; `*` allows any",
    scope: "behaviour",
  },
  allowedOrigins: {
    schema: { type: "array", items: TEXT },
    default: [],
    description: `origins of web pages that may call the service, such as https://pos.example${HAS_EMULATOR ? "; with the emulator, pages on http://localhost and its addresses may always call the interface" : ""}`,
    scope: "behaviour",
  },
  consoleToken: {
    schema: BOOLEAN,
    default: false,
    description:
      "show receipts and settings in the console only to callers with the token in `tillseal.token` of the data folder, wherever they call from; switch it on if a proxy on this machine forwards requests",
    scope: "behaviour",
  },
  deviceMake: {
    schema: TEXT,
    default: "tillseal",
    description: "`make` in the answer of status",
    scope: "behaviour",
  },
  makerCodes: {
    schema: textLike("^[0-9A-Za-z]{2,4}-[0-9A-Za-z]{2,4}$", "two codes such as 0001-1002"),
    description:
      "the two codes that the tax authority has assigned to the maker: the beginning of `mrc` on receipts. Default: `deviceMake` and `tillseal`",
    scope: "behaviour",
  },
  deviceSerialNumber: {
    schema: TEXT,
    description:
      "`deviceSerialNumber` in the answer of status, and the last part of `mrc`. Default: a number that the first start makes and keeps in the data folder, or `TS-00000001` if data is temporary",
    scope: "behaviour",
  },
} as const satisfies SettingRows;
