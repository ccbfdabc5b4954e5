/** Settings for the emulated card, the control interface and the emulated tax authority. */
import { PREVIEWS } from "../../fiscal/countries.js";
import { textLike } from "../../schema/json-schema.js";
import { BOOLEAN, type SettingRows, TEXT } from "./row.js";

export const EMULATOR_SETTINGS = {
  profile: {
    schema: TEXT,
    description: "profile of the emulated card: a file, or the name of one in fixtures/profiles",
    scope: "emulator",
  },
  country: {
    schema: { type: "string", enum: PREVIEWS },
    description:
      "country whose card, environment and receipts the emulator has; `ba-rs`, `fj` and `vu` are previews (docs/countries.md). `profile` and `environment` override it",
    scope: "emulator",
  },
  scenario: {
    schema: TEXT,
    description:
      "scenario whose `given` the emulator starts from: a file, or the name of a shipped one such as `pin/card-locked`. The other settings supply what it leaves out",
    scope: "emulator",
  },
  record: {
    schema: TEXT,
    description: "file to record the traffic into, as a scenario; an existing file is replaced",
    scope: "emulator",
  },
  controlPort: {
    schema: { type: "integer", minimum: 0, maximum: 65_535 },
    default: 8432,
    description: "TCP port of the emulator's control interface; 0, or a busy default, picks a free port",
    scope: "emulator",
  },
  controlHost: {
    schema: TEXT,
    default: "localhost",
    description: "address for the control interface to listen on, as in `host`",
    scope: "emulator",
  },
  authority: {
    schema: BOOLEAN,
    default: true,
    description:
      "run an emulated tax authority, which configures the emulated card; with `--no-authority` there is none, and the service uses `environment` directly",
    scope: "emulator",
  },
  authorityPort: {
    schema: { type: "integer", minimum: 0, maximum: 65_535 },
    default: 8434,
    description: "TCP port of the emulated tax authority; 0, or a busy default, picks a free port",
    scope: "emulator",
  },
  vsdc: {
    schema: BOOLEAN,
    default: false,
    description:
      "run an emulated online service of the authority (V-SDC); it signs without a card, for POS programs that know a client certificate and the header `PAC`",
    scope: "emulator",
  },
  vsdcPort: {
    schema: { type: "integer", minimum: 0, maximum: 65_535 },
    default: 8436,
    description: "TCP port of that service; 0, or a busy port, picks a free one",
    scope: "emulator",
  },
  publicAddress: {
    schema: textLike(
      "^https?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?(/[A-Za-z0-9._~/-]*)?$",
      "an address such as http://192.168.1.20:8431",
    ),
    description:
      "address under which customers reach the emulator; QR codes lead there. Default: the address that the POS called",
    scope: "emulator",
  },
} as const satisfies SettingRows;
