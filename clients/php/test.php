<?php

// The behaviours that clients/behaviours.json lists: `php test.php`.

declare(strict_types=1);

require __DIR__ . '/FiscalClient.php';
require __DIR__ . '/Emulator.php';

$emulator = new Emulator();
// Stop the emulator also after a fatal error.
register_shutdown_function(fn () => $emulator->close());
$till = new FiscalClient($emulator->url, pause: 0.1);
$coffee = [FiscalClient::item('Coffee', 2, 120, 'A')];

function newId(): string
{
    return bin2hex(random_bytes(16));
}

function same(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new LogicException('expected ' . json_encode($expected) . ', got ' . json_encode($actual));
    }
}

function contains(string $part, string $text): void
{
    if (!str_contains($text, $part)) {
        throw new LogicException("there is no $part in $text");
    }
}

function refused(string $code, string $action, callable $call): void
{
    try {
        $call();
    } catch (FiscalError $error) {
        same([$code, $action], [$error->fiscalCode, $error->action]);
        return;
    }
    throw new LogicException("$code was expected");
}

$tests = [
    'pin' => function () use ($till, $emulator): void {
        refused('2100', 'enter-pin', fn () => $till->verifyPin('0000'));
        $till->verifyPin($emulator->pin);
        same(false, $till->status()['isPinRequired']);
    },
    'sell' => function () use ($till, $emulator, $coffee): void {
        $receipt = $till->submit(FiscalClient::sale([FiscalClient::item('Кафа', 2, 120, 'A')]), newId());
        contains('Кафа (A)', $receipt['journal']);
        same([240, 1], [$receipt['totalAmount'], $receipt['totalCounter']]);
        same(1, $emulator->counters()['NS']);
        $latin = new FiscalClient($emulator->url, pause: 0.1, language: 'sr-Latn-RS');
        $id = newId();
        $inLatin = $latin->submit(FiscalClient::sale($coffee), $id);
        contains('FISKALNI RAČUN', $inLatin['journal']);
        same($inLatin['invoiceNumber'], $till->find($id)['invoiceNumber']);
        contains("\x1b@", $till->escPos($id));
    },
    'refund' => function () use ($till, $emulator, $coffee): void {
        $sold = $till->submit(FiscalClient::sale($coffee), newId());
        $givenBack = $till->submit(FiscalClient::refund(FiscalClient::sale($coffee), $sold), newId());
        contains($sold['invoiceNumber'], $givenBack['journal']);
        same(1, $emulator->counters()['NR']);
    },
    'copy' => function () use ($till, $emulator, $coffee): void {
        $sold = $till->submit(FiscalClient::sale($coffee), newId());
        $copied = $till->submit(FiscalClient::copy(FiscalClient::sale($coffee), $sold), newId());
        contains($sold['invoiceNumber'], $copied['journal']);
        same(1, $emulator->counters()['CS']);
    },
    'advance' => function () use ($till, $emulator, $coffee): void {
        $deposit = FiscalClient::advance([FiscalClient::item('Deposit for a table', 1, 100, 'A')]);
        $paid = $till->submit($deposit, newId());
        $closed = $till->submit(FiscalClient::refund($deposit, $paid), newId());
        $final = $till->submit(FiscalClient::pointingTo($closed, FiscalClient::sale($coffee)), newId());
        contains($closed['invoiceNumber'], $final['journal']);
        $counters = $emulator->counters();
        same([1, 1, 1], [$counters['AS'], $counters['AR'], $counters['NS']]);
    },
    'lost-answer' => function () use ($till, $emulator, $coffee): void {
        $emulator->fault(['on' => 'answer', 'nth' => 1, 'kind' => 'connectionDropped']);
        $requestId = newId();
        $receipt = $till->submit(FiscalClient::sale($coffee), $requestId);
        same($receipt, $till->submit(FiscalClient::sale($coffee), $requestId));
        same(1, $emulator->counters()['total']);
        same(3, count($emulator->requests(['requestId' => $requestId])));
        same(1, count($emulator->requests(['requestId' => $requestId, 'signed' => true])));
    },
    'broken-answer' => function () use ($emulator, $coffee): void {
        $impatient = new FiscalClient($emulator->url, timeout: 2, pause: 0.1);
        $emulator->fault(['on' => 'answer', 'nth' => 1, 'kind' => 'short']);
        contains('Coffee', $impatient->submit(FiscalClient::sale($coffee), newId())['journal']);
        $emulator->fault(['on' => 'answer', 'nth' => 1, 'kind' => 'latency', 'duration' => '60s']);
        contains('Coffee', $impatient->submit(FiscalClient::sale($coffee), newId())['journal']);
        same(2, $emulator->counters()['total']);
    },
    'gave-up' => function () use ($till, $emulator, $coffee): void {
        $emulator->fault(['on' => 'answer', 'kind' => 'connectionDropped']);
        $requestId = newId();
        try {
            $till->submit(FiscalClient::sale($coffee), $requestId);
            throw new LogicException('an answer came');
        } catch (AnswerLost $lost) {
            same($requestId, $lost->requestId);
        }
        $emulator->removeFaults();
        contains('Coffee', $till->submit(FiscalClient::sale($coffee), $requestId)['journal']);
        same(1, $emulator->counters()['total']);
    },
    'money' => function () use ($till): void {
        $half = FiscalClient::item('Nails', 0.5, 2.01, 'A');
        same(1.01, $half['totalAmount']);
        $sale = FiscalClient::sale([FiscalClient::item('Bag', 1, 0.1, 'A'), FiscalClient::item('Straw', 1, 0.2, 'A')]);
        same('{"amount":0.3,"paymentType":"Cash"}', json_encode($sale['payment'][0]));
        same(0.3, $till->submit($sale, newId())['totalAmount']);
    },
    'codes' => function () use ($till, $emulator, $coffee): void {
        $sell = fn (array $invoice) => fn () => $till->submit($invoice, newId());
        $sale = FiscalClient::sale($coffee);
        refused('2310', 'correct', $sell(FiscalClient::sale([FiscalClient::item('Coffee', 2, 120, 'Q')])));
        $emulator->reset();
        $till->verifyPin($emulator->pin);
        refused('2800', 'correct', $sell(array_diff_key($sale, ['invoiceType' => true])));
        $emulator->reset();
        $till->verifyPin($emulator->pin);
        [$id, $next] = [newId(), newId()];
        $emulator->patchCard(['limit' => '100', 'sum' => '100']);
        refused('2210', 'audit', fn () => $till->submit($sale, $id));
        $emulator->audit();
        same(240, $till->submit($sale, $id)['totalAmount']);
        $emulator->removeCard();
        refused('1300', 'insert-card', fn () => $till->submit($sale, $next));
        $emulator->insertCard();
        refused('1500', 'enter-pin', fn () => $till->submit($sale, $next));
        $emulator->lockCard();
        refused('2110', 'call', fn () => $till->verifyPin($emulator->pin));
    },
    'qr' => function () use ($till, $coffee): void {
        $file = tempnam(sys_get_temp_dir(), 'qr');
        FiscalClient::saveQr($till->submit(FiscalClient::sale($coffee), newId()), $file);
        same("\x89PNG\r\n\x1a\n", file_get_contents($file, length: 8));
        unlink($file);
    },
    'device' => function () use ($till, $emulator, $coffee): void {
        $emulator->given(['settings' => ['answerForm' => 'device']]);
        try {
            $id = newId();
            refused('1500', 'enter-pin', fn () => $till->submit(FiscalClient::sale($coffee), $id));
            refused('2100', 'enter-pin', fn () => $till->verifyPin('0000'));
            $till->verifyPin($emulator->pin);
            $file = tempnam(sys_get_temp_dir(), 'qr');
            FiscalClient::saveQr($till->submit(FiscalClient::sale($coffee), $id), $file);
            same('GIF', file_get_contents($file, length: 3));
            unlink($file);
        } finally {
            $emulator->given([]);
        }
    },
    'reset' => function () use ($till, $emulator, $coffee): void {
        $till->submit(FiscalClient::sale($coffee), newId());
        $emulator->removeCard();
        $emulator->reset();
        same(0, $emulator->counters()['total']);
        $till->verifyPin($emulator->pin);
    },
];

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $emulator->reset();
        $till->verifyPin($emulator->pin);
        $test();
        echo "ok $name\n";
    } catch (Throwable $error) {
        $failed++;
        echo "not ok $name: {$error->getMessage()} ({$error->getFile()}:{$error->getLine()})\n";
    }
}
exit($failed === 0 ? 0 : 1);
