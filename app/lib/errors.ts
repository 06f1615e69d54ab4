/** Codes of expected failures and their HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  step_up_required: 403,
  confirmation_required: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media: 415,
  too_many: 429,
  unavailable: 503,
} as const;

/** Seconds after which a camera, a vendor's agent, a program or a browser may retry after a transient failure. */
export const RETRY_SECONDS = 5;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * An expected failure with a message for the user. Any other thrown error is a bug, and the user sees only its opaque
 * id.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a retry may succeed, if known. */
  readonly retryAfter: number | undefined;
  /** Name of the form field that the message is about, if any. */
  readonly field: string | undefined;
  /** Further fields of the response for clients, if any. */
  readonly details: Record<string, unknown> | undefined;
  /** Messages by form field, if several fields are invalid. */
  readonly problems: Record<string, string> | undefined;
  /** Whether this refusal is already in the audit log. */
  audited = false;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryAfter?: number;
      field?: string;
      problems?: Record<string, string>;
      details?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.field = options.field;
    this.details = options.details;
    this.problems = options.problems;
  }
}

/** Marks a refusal as already audited, and returns it to be thrown. */
export function audited(error: AppError): AppError {
  error.audited = true;
  return error;
}

/** Returns the result of a check of a form's field. Adds the field's name to an AppError that the check throws. */
export function inField<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, details } = error;
    throw new AppError(code, message, { details, field, cause: error });
  }
}

/** Returns whether a thrown value is an AppError, from either of the two copies of this module in the bundle. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === "AppError" && "code" in error;
}
