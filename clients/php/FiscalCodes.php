<?php

declare(strict_types=1);

// Written by `npm run docs` from src/fiscal/codes.ts. Do not edit.
return [
    "0000" => ["none", "All OK"],
    "0100" => ["none", "PIN verified"],
    "0210" => ["none", "Tax authority reachable"],
    "0220" => ["none", "Tax authority not reachable"],
    "1100" => ["audit", "Store of unsent audit packages is 90 % full"],
    "1300" => ["insert-card", "Smart card is not present"],
    "1400" => ["audit", "Audit required"],
    "1500" => ["enter-pin", "PIN required"],
    "1999" => ["repeat", "Other warning, see mssc or details"],
    "2100" => ["enter-pin", "Incorrect PIN"],
    "2110" => ["call", "Card locked: no PIN attempts are left"],
    "2210" => ["audit", "Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up"],
    "2220" => ["repeat", "Cannot connect to the Secure Element"],
    "2230" => ["call", "Card protocol is not supported"],
    "2310" => ["correct", "Invalid tax labels"],
    "2400" => ["call", "Not configured"],
    "2800" => ["correct", "Required field is missing"],
    "2801" => ["correct", "Value is too long"],
    "2802" => ["correct", "Value is too short"],
    "2803" => ["correct", "Value has the wrong length"],
    "2804" => ["correct", "Value is out of range"],
    "2805" => ["correct", "Invalid value"],
    "2806" => ["correct", "Invalid format"],
    "2807" => ["correct", "List has too few entries"],
    "2808" => ["correct", "List has too many entries"],
    "2809" => ["call", "Invoice time is outside the validity of the card's certificate"],
];
