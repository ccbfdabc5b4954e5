/** Who may call the service, and what the service says it is. */
import { BOOLEAN, type SettingRows, TEXT } from "./row.js";

export const ACCESS_SETTINGS = {
  allowedHosts: {
    schema: { type: "array", items: TEXT },
    default: [],
    description: "host names, besides localhost and addresses, under which the service may be called; `*` for any",
    scope: "behaviour",
  },
  allowedOrigins: {
    schema: { type: "array", items: TEXT },
    default: [],
    description:
      "origins of web pages that may call the service, such as https://pos.example; with the emulator, pages on http://localhost and its addresses may call the interface anyway",
    scope: "behaviour",
  },
  consoleToken: {
    schema: BOOLEAN,
    default: false,
    description:
      "show receipts and settings in the console only to callers with the token in `tillseal.token` of the data folder, wherever they are; switch it on when a proxy on this machine passes requests on",
    scope: "behaviour",
  },
  deviceMake: {
    schema: TEXT,
    default: "tillseal",
    description: "`make` of status",
    scope: "behaviour",
  },
  deviceModel: {
    schema: TEXT,
    default: "tillseal",
    description: "`model` of status",
    scope: "behaviour",
  },
  deviceSerialNumber: {
    schema: TEXT,
    description:
      "`deviceSerialNumber` of status, last part of `mrc`; default: a number that the first start makes and keeps in the data folder, or `TS-00000001` where data is temporary",
    scope: "behaviour",
  },
} as const satisfies SettingRows;
