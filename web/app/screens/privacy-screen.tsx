import { deletedChatDays } from '@yonder/contract/lib/chat-limits'
import { use } from 'react'
import { SelfServiceContext } from '../../data/self-service.ts'
import { LegalPage, LegalSection } from './legal-page.tsx'

/** The privacy policy. */
export function PrivacyScreen() {
  const selfService = use(SelfServiceContext)
  return (
    <LegalPage
      title="Privacy Policy"
      lead="What Yonder stores about you, where it goes, and how it is deleted or exported."
    >
      <LegalSection title="What is stored">
        <p>
          Your chat data, which is every message you write and every reply you get, and the configurations of
          your bots and connectors are stored in a cloud database. Keys and tokens among them are encrypted
          before they are stored.
        </p>
        <p>
          An integration keeps the key that you give for a service, or your consent at Google, encrypted as
          well. Disconnecting removes it.
        </p>
        <p>
          From your identity provider Yonder receives your name, your e-mail address, the address of your
          picture and an identifier. Of a local account it keeps the password only as a hash.
        </p>
      </LegalSection>
      <LegalSection title="What stays in your browser">
        <p>
          Your browser&rsquo;s storage keeps your theme, whether connection logs are shown, the bots you
          chose, the sites whose images you always show, who used Yonder last, and the token that keeps you
          signed in. It also keeps what you have not sent: drafts, edits, answers to tools, and messages that
          have not reached the server yet.
        </p>
        <p>
          Signing out removes the token and everything that was not sent; the rest stays in this browser.
          Yonder places no advertising and no tracking of its own.
        </p>
      </LegalSection>
      <LegalSection title="Who else receives it">
        <p>
          A message goes to the provider of the model that answers it. When you allow a tool, the arguments of
          that call go to the connector it belongs to. Both handle what they receive under their own policies.
        </p>
        <p>
          The key of an integration goes to its service only. What an integration brings, such as emails,
          events and search results, goes to the provider of the model that your bot uses.
        </p>
        <p>
          A chat that you share can be read by everyone who has its link. Everything else can be read by you
          and by those who run this site.
        </p>
      </LegalSection>
      <LegalSection title="Deletion and export">
        {selfService && (
          <p>
            You can export everything that is stored about you, and delete your account with all of it, in the
            settings under Data. Backups that the operator has made keep a copy until the operator deletes
            them.
          </p>
        )}
        {selfService && (
          <p>
            You can delete your chats by yourself, one or many at once. Their links are off at once. Under
            Recently deleted you can restore them for {deletedChatDays} days, or delete them for good before.
            What they cost stays counted.
          </p>
        )}
        {!selfService && (
          <p>
            Deleting or exporting all your data by yourself is not available. Ask the operator of this site if
            you want either.
          </p>
        )}
      </LegalSection>
      <LegalSection title="Children">
        <p>
          Yonder is not meant for children under 13, and no data about them is collected knowingly. If a child
          has signed in, write to the operator of this site.
        </p>
      </LegalSection>
      <LegalSection title="Changes">
        <p>When this policy changes, the date at the top changes with it.</p>
      </LegalSection>
    </LegalPage>
  )
}
