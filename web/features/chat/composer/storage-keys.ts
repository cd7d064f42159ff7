/** The browser storage keys of chats (§3.20); `outbox`, `draft` and `edit` are ours. */
export const storageKeys = {
  homeBot: 'home_page_selected_bot',
  homeDraft: 'home_page_draft',
  chatBot: (chatId: string) => `chat_${chatId}_selectedBot`,
  newMessage: (chatId: string) => `newChat_${chatId}_message`,
  newBot: (chatId: string) => `newChat_${chatId}_bot`,
  edit: (chatId: string) => `chat_${chatId}_edit`,
  draft: (chatId: string) => `chat_${chatId}_draft`,
  outbox: (chatId: string) => `chat_${chatId}_outbox`,
} as const
