<?php

declare(strict_types=1);

/** The service refused the request. */
final class FiscalError extends RuntimeException
{
    /** What the till does next: one of the actions in clients/README.md. */
    public readonly string $action;

    /** @param string $fiscalCode four digits */
    public function __construct(public readonly string $fiscalCode, string $message, public readonly string $details = '')
    {
        parent::__construct(trim("$fiscalCode $message $details"));
        $this->action = (FiscalClient::codes()[$fiscalCode] ?? ['call'])[0];
    }
}

/** No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes. */
final class AnswerLost extends RuntimeException
{
    public function __construct(public readonly string $requestId)
    {
        parent::__construct("no answer to $requestId; send it again with the same RequestId");
    }
}

/** A client for tillseal and services with the same API. PHP 8.1 and later, with built-in extensions only. */
final class FiscalClient
{
    /**
     * @param string $url such as http://localhost:8431/api/v3
     * @param float $timeout seconds for the connection, and for each silence in an answer
     * @param float $pause seconds before the second attempt; it doubles with each further attempt
     * @param string $language of receipts and of error messages, such as sr-Latn-RS; the service chooses without one
     */
    public function __construct(
        private readonly string $url,
        private readonly float $timeout = 30.0,
        private readonly int $attempts = 3,
        private readonly float $pause = 1.0,
        private readonly string $language = '',
    ) {
    }

    /** @return array<string|int, array{string, string}> action and meaning by code */
    public static function codes(): array
    {
        static $codes = null;
        return $codes ??= require __DIR__ . '/FiscalCodes.php';
    }

    /** Opens the card. @throws FiscalError 2100 (wrong), 2110 (locked), 1300 (no card), 2220 */
    public function verifyPin(string $pin): void
    {
        $answer = $this->send('POST', '/pin', $pin, ['Content-Type: text/plain']) ?? throw new AnswerLost('the PIN');
        $code = trim($answer, "\" \r\n");
        if ($code !== '0100') {
            throw new FiscalError($code, (self::codes()[$code] ?? ['call', 'unknown code'])[1]);
        }
    }

    public function status(): array
    {
        $answer = $this->send('GET', '/status') ?? throw new AnswerLost('status');
        return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
    }

    /**
     * Signs an invoice and returns the receipt. A repeat with the same RequestId is never signed twice.
     * @param string $requestId up to 32 characters, new for each invoice and stored by the till before it calls
     * @throws FiscalError|AnswerLost
     */
    public function submit(array $invoice, string $requestId): array
    {
        $body = json_encode($invoice, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        $headers = ['Content-Type: application/json', "RequestId: $requestId"];
        for ($attempt = 0; $attempt < $this->attempts; $attempt++) {
            if ($attempt > 0) {
                usleep((int) ($this->pause * 1e6 * 2 ** ($attempt - 1)));
            }
            $answer = $this->send('POST', '/invoices', $body, $headers);
            $receipt = $answer === null ? null : json_decode($answer, true);
            // A truncated answer is not valid JSON, so it counts as lost too.
            if (is_array($receipt)) {
                return $receipt;
            }
        }
        throw new AnswerLost($requestId);
    }

    /** The stored receipt of an earlier submit. @throws FiscalError if the service does not know the RequestId */
    public function find(string $requestId): array
    {
        $answer = $this->send('GET', '/invoices/' . rawurlencode($requestId)) ?? throw new AnswerLost($requestId);
        return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
    }

    /** The same receipt as bytes for a receipt printer (ESC/POS). */
    public function escPos(string $requestId): string
    {
        $path = '/invoices/' . rawurlencode($requestId) . '/escpos';
        return $this->send('GET', $path, headers: ['Accept: */*']) ?? throw new AnswerLost($requestId);
    }

    /** @return ?string the body; null if no answer came. @throws FiscalError */
    private function send(string $method, string $path, string $body = '', array $headers = []): ?string
    {
        $accept = preg_grep('~^Accept:~', $headers) ? [] : ['Accept: application/json'];
        $language = $this->language === '' ? [] : ["Accept-Language: $this->language"];
        $all = ['Connection: close', ...$accept, ...$language];
        $http = [
            'method' => $method,
            'header' => [...$all, ...$headers],
            'content' => $body,
            'timeout' => $this->timeout,
            'ignore_errors' => true,
        ];
        // fopen warns if it cannot connect or if the connection breaks.
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => $http]));
        $answer = $stream ? @stream_get_contents($stream) : false;
        if ($answer === false) {
            return null;
        }
        $status = (int) explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
        if ($status >= 400) {
            throw self::error($answer);
        }
        return $answer;
    }

    private static function error(string $body): FiscalError
    {
        // Devices send some errors as the code alone.
        if (preg_match('/^\s*"?(\d{4})"?\s*$/', $body, $bare)) {
            return new FiscalError($bare[1], (self::codes()[$bare[1]] ?? ['call', 'unknown code'])[1]);
        }
        $record = json_decode($body, true);
        if (!is_array($record) || !isset($record['code'])) {
            return new FiscalError('1999', 'the answer is not an error record', substr($body, 0, 200));
        }
        return new FiscalError($record['code'], $record['message'] ?? '', $record['details'] ?? '');
    }

    /** An item of an invoice. Prices include tax. Numbers stay floats, but are computed as whole thousandths and hundredths. */
    public static function item(string $name, float $quantity, float $unitPrice, string ...$labels): array
    {
        return [
            'name' => $name,
            'quantity' => $quantity,
            'unitPrice' => $unitPrice,
            'labels' => $labels,
            'totalAmount' => round(round($quantity * 1000) * round($unitPrice * 100) / 1000) / 100,
        ];
    }

    public static function sale(array $items, string $paymentType = 'Cash', string $invoiceType = 'Normal'): array
    {
        $amount = round(array_sum(array_column($items, 'totalAmount')), 2);
        return [
            'invoiceType' => $invoiceType,
            'transactionType' => 'Sale',
            'payment' => [['amount' => $amount, 'paymentType' => $paymentType]],
            'items' => $items,
        ];
    }

    public static function advance(array $items, string $paymentType = 'Cash'): array
    {
        return self::sale($items, $paymentType, 'Advance');
    }

    /** Number and time of an earlier receipt. The time chooses the tax rates of refunds and copies. */
    public static function pointingTo(array $receipt, array $invoice): array
    {
        return [
            ...$invoice,
            'referentDocumentNumber' => $receipt['invoiceNumber'],
            'referentDocumentDT' => $receipt['sdcDateTime'],
        ];
    }

    /** Refunds an invoice. This also closes an advance, whose final invoice then names this refund. */
    public static function refund(array $invoice, array $receipt): array
    {
        return self::pointingTo($receipt, [...$invoice, 'transactionType' => 'Refund']);
    }

    public static function copy(array $invoice, array $receipt): array
    {
        return self::pointingTo($receipt, [...$invoice, 'invoiceType' => 'Copy']);
    }

    /** Writes the QR code: a PNG, or the GIF of a device. @throws RuntimeException if the receipt has none (omitQRCodeGen) */
    public static function saveQr(array $receipt, string $file): void
    {
        $prefix = 'data:image/png;base64,';
        $data = $receipt['verificationQRCode'] ?? '';
        // A GIF in base64 begins so.
        if (!str_starts_with($data, $prefix) && !str_starts_with($data, 'R0lGOD')) {
            throw new RuntimeException('the receipt has no picture of a QR code; look at omitQRCodeGen');
        }
        file_put_contents($file, base64_decode(str_replace($prefix, '', $data), true));
    }
}
