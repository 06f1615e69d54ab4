/**
 * The header that tells Odin whose page sends a request: the user's id. After another user has signed in in the same
 * browser, a page of the former user is refused.
 */
export const PAGE_USER_HEADER = "odin-page-user";
