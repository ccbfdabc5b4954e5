/** Whether this console is for an emulator too; decided when it is built. */
declare const EMULATOR: boolean;
