export const deletedNoticeKey = 'account_deleted'

/** Whether this tab has just deleted the account, and shows the sign-in screen now. */
export function hasDeletedAccount(): boolean {
  try {
    return sessionStorage.getItem(deletedNoticeKey) !== null
  } catch {
    return false
  }
}
