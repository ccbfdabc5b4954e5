"""The behaviours that clients/behaviours.json lists: `python3 -m unittest -v test_till`."""

import os
import tempfile
import unittest
import uuid
from decimal import Decimal

from emulator import Emulator
from fiscal_client import AnswerLost, FiscalClient, FiscalError, advance, copy, item, pointing_to, refund, sale, save_qr

COFFEE = [item("Coffee", 2, 120, "A")]


def new_id():
    return uuid.uuid4().hex


class Till(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.emulator = Emulator()
        cls.addClassCleanup(cls.emulator.close)
        cls.till = FiscalClient(cls.emulator.url, pause=0.1)

    def setUp(self):
        self.emulator.reset()
        self.till.verify_pin(self.emulator.pin)
        self.till.status()

    def refused(self, code, action, call, *arguments):
        with self.assertRaises(FiscalError) as caught:
            call(*arguments)
        self.assertEqual((caught.exception.code, caught.exception.action), (code, action))

    def test_pin(self):
        self.refused("2100", "enter-pin", self.till.verify_pin, "0000")
        self.till.verify_pin(self.emulator.pin)
        self.assertFalse(self.till.status()["isPinRequired"])

    def test_sell(self):
        receipt = self.till.submit(sale([item("Кафа", 2, 120, "A")]), new_id())
        self.assertIn("Кафа (A)", receipt["journal"])
        self.assertEqual((receipt["totalAmount"], receipt["totalCounter"]), (240, 1))
        self.assertEqual(self.emulator.counters()["NS"], 1)
        latin = FiscalClient(self.emulator.url, pause=0.1, language="sr-Latn-RS")
        request_id = new_id()
        in_latin = latin.submit(sale(COFFEE), request_id)
        self.assertIn("FISKALNI RAČUN", in_latin["journal"])
        self.assertEqual(self.till.find(request_id)["invoiceNumber"], in_latin["invoiceNumber"])
        self.assertIn(b"\x1b@", self.till.esc_pos(request_id))

    def test_refund(self):
        sold = self.till.submit(sale(COFFEE), new_id())
        given_back = self.till.submit(refund(sale(COFFEE), sold), new_id())
        self.assertIn(sold["invoiceNumber"], given_back["journal"])
        self.assertEqual(self.emulator.counters()["NR"], 1)

    def test_copy(self):
        sold = self.till.submit(sale(COFFEE), new_id())
        copied = self.till.submit(copy(sale(COFFEE), sold), new_id())
        self.assertIn(sold["invoiceNumber"], copied["journal"])
        self.assertEqual(self.emulator.counters()["CS"], 1)

    def test_advance(self):
        deposit = advance([item("Deposit for a table", 1, 100, "A")])
        paid = self.till.submit(deposit, new_id())
        closed = self.till.submit(refund(deposit, paid), new_id())
        final = self.till.submit(pointing_to(closed, sale(COFFEE)), new_id())
        self.assertIn(closed["invoiceNumber"], final["journal"])
        counters = self.emulator.counters()
        self.assertEqual((counters["AS"], counters["AR"], counters["NS"]), (1, 1, 1))

    def test_lost_answer(self):
        self.emulator.fault(on="answer", nth=1, kind="connectionDropped")
        request_id = new_id()
        receipt = self.till.submit(sale(COFFEE), request_id)
        self.assertEqual(self.till.submit(sale(COFFEE), request_id), receipt)
        self.assertEqual(self.emulator.counters()["total"], 1)
        self.assertEqual(len(self.emulator.requests(request_id=request_id)), 3)
        self.assertEqual(len(self.emulator.requests(request_id=request_id, signed=True)), 1)

    def test_broken_answer(self):
        impatient = FiscalClient(self.emulator.url, timeout=2, pause=0.1)
        self.emulator.fault(on="answer", nth=1, kind="short")
        self.assertIn("Coffee", impatient.submit(sale(COFFEE), new_id())["journal"])
        self.emulator.fault(on="answer", nth=1, kind="latency", duration="60s")
        self.assertIn("Coffee", impatient.submit(sale(COFFEE), new_id())["journal"])
        self.assertEqual(self.emulator.counters()["total"], 2)

    def test_gave_up(self):
        self.emulator.fault(on="answer", kind="connectionDropped")
        request_id = new_id()
        with self.assertRaises(AnswerLost) as caught:
            self.till.submit(sale(COFFEE), request_id)
        self.assertEqual(caught.exception.request_id, request_id)
        self.emulator.remove_faults()
        self.assertIn("Coffee", self.till.submit(sale(COFFEE), request_id)["journal"])
        self.assertEqual(self.emulator.counters()["total"], 1)

    def test_money(self):
        self.assertEqual(item("Nails", "0.5", "2.01", "A")["totalAmount"], Decimal("1.01"))
        small = sale([item("Bag", 1, "0.1", "A"), item("Straw", 1, "0.2", "A")])
        self.assertEqual(small["payment"][0]["amount"], Decimal("0.3"))
        self.assertEqual(self.till.submit(small, new_id())["totalAmount"], Decimal("0.3"))

    def test_codes(self):
        wrong = sale([item("Coffee", 2, 120, "Q")])
        self.refused("2310", "correct", self.till.submit, wrong, new_id())
        self.setUp()
        missing = sale(COFFEE)
        del missing["invoiceType"]
        self.refused("2800", "correct", self.till.submit, missing, new_id())
        self.setUp()
        request_id = new_id()
        self.emulator.patch_card(limit="100", sum="100")
        self.refused("2210", "audit", self.till.submit, sale(COFFEE), request_id)
        self.emulator.audit()
        self.assertEqual(self.till.submit(sale(COFFEE), request_id)["totalAmount"], 240)
        self.emulator.remove_card()
        request_id = new_id()
        self.refused("1300", "insert-card", self.till.submit, sale(COFFEE), request_id)
        self.emulator.insert_card()
        self.refused("1500", "enter-pin", self.till.submit, sale(COFFEE), request_id)
        self.emulator.lock_card()
        self.refused("2110", "call", self.till.verify_pin, self.emulator.pin)

    def test_qr(self):
        receipt = self.till.submit(sale(COFFEE), new_id())
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "receipt.png")
            save_qr(receipt, file)
            with open(file, "rb") as png:
                self.assertEqual(png.read(8), b"\x89PNG\r\n\x1a\n")

    def test_device(self):
        self.emulator.given(settings={"answerForm": "device"})
        self.addCleanup(self.emulator.given)
        request_id = new_id()
        self.refused("1500", "enter-pin", self.till.submit, sale(COFFEE), request_id)
        self.refused("2100", "enter-pin", self.till.verify_pin, "0000")
        self.till.verify_pin(self.emulator.pin)
        receipt = self.till.submit(sale(COFFEE), request_id)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "receipt.gif")
            save_qr(receipt, file)
            with open(file, "rb") as gif:
                self.assertEqual(gif.read(3), b"GIF")

    def test_reset(self):
        self.till.submit(sale(COFFEE), new_id())
        self.emulator.remove_card()
        self.emulator.reset()
        self.assertEqual(self.emulator.counters()["total"], 0)
        self.till.verify_pin(self.emulator.pin)


if __name__ == "__main__":
    unittest.main()
