/** Name of the secure element applet, for SELECT (protocol facts, section 1). */
export const SECURE_ELEMENT_AID = Buffer.from("A000000748464A492D546178436F7265", "hex");
