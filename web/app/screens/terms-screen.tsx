import { deletedChatDays } from '@yonder/contract/lib/chat-limits'
import { use } from 'react'
import { SelfServiceContext } from '../../data/self-service.ts'
import { LegalPage, LegalSection } from './legal-page.tsx'

export function TermsScreen() {
  const selfService = use(SelfServiceContext)
  return (
    <LegalPage
      title="Terms of Service"
      lead="Yonder lets you talk to AI bots that you set up yourself. These are the rules of using it, in plain words."
    >
      <LegalSection title="Who runs this site">
        <p>
          Yonder is software that anyone may run. The terms below are between you and the operator of this
          site, who decides who may sign in and which models are offered.
        </p>
      </LegalSection>
      <LegalSection title="Who may use it">
        <p>
          Yonder is not meant for children under 13. By signing in you state that you are at least that old,
          and old enough where you live to agree to these terms.
        </p>
      </LegalSection>
      <LegalSection title="Your account">
        <p>
          You sign in through an identity provider. Keep that account safe: you are responsible for what is
          done with it. If you give a bot a key of your own, the operator of this site can read it, so use one
          with a spending limit.
        </p>
      </LegalSection>
      <LegalSection title="What you write and what comes back">
        <p>
          What you write stays yours. To answer you, it is sent to the model of the bot you chose and, when
          you allow it, to the tools of your connectors. Each of those has an operator of its own, whose terms
          apply as well.
        </p>
        <p>
          Models make mistakes and state them with confidence. Check what matters before you rely on it. A
          tool that you allow acts in your name.
        </p>
      </LegalSection>
      <LegalSection title="What is stored">
        <p>
          Your chats and the configurations of your bots and connectors are stored in a cloud database, so
          that you find them again on any device.{' '}
          {/* Nothing is promised or denied before the settings of this site are known. */}
          <span className={selfService === undefined ? 'invisible' : undefined}>
            {selfService
              ? `You can delete your chats by yourself, and restore them for ${deletedChatDays} days. In the settings under Data you can export all of this, and delete your account with it.`
              : 'Deleting or exporting this data by yourself is not available.'}
          </span>{' '}
          The Privacy Policy says more.
        </p>
      </LegalSection>
      <LegalSection title="What is not allowed">
        <p>
          Do not use Yonder to break the law, to harm or deceive others, to get into systems that are not
          yours, or to hinder others from using it. A user who does so may lose access.
        </p>
      </LegalSection>
      <LegalSection title="No guarantee">
        <p>
          Yonder is offered as it is. It may change, be interrupted or end. As far as the law permits, there
          is no liability for damage that comes from its use.
        </p>
      </LegalSection>
      <LegalSection title="Changes">
        <p>
          When these terms change, the date at the top changes with them. If you continue to use Yonder, you
          accept the terms of that date.
        </p>
      </LegalSection>
    </LegalPage>
  )
}
