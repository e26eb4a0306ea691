extension SecretRule {
  private static func token(_ id: String, _ summary: String, _ patterns: String...) -> SecretRule {
    SecretRule(id: id, summary: summary, patterns: patterns)
  }

  /// Tokens that show by their beginning who gave them out.
  static let tokens = [
    token(
      "aws-access-key-id", "access key IDs of AWS",
      #"\b(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"#),
    token(
      "github-token", "tokens of GitHub",
      #"gh[pousr]_[A-Za-z0-9]{30,}"#, #"github_pat_[A-Za-z0-9_]{30,}"#),
    token(
      "gitlab-token", "tokens of GitLab",
      #"\bgl(pat|dt|rt|oas|ptt|cbt|imt|ft|soat|agent|ffct)-[A-Za-z0-9_\-]{20,}"#),
    token(
      "slack-token", "tokens and webhooks of Slack",
      #"\bxox[abeoprs][a-z]?-[A-Za-z0-9\-]{10,}"#, #"\bxapp-[A-Za-z0-9\-]{10,}"#,
      #"hooks\.slack\.com\\?/(services|workflows|triggers)\\?/\K([A-Za-z0-9_+\-]|\\?/){20,}"#),
    token(
      "stripe-key", "secret and restricted keys of Stripe, secrets of webhooks",
      #"\b[sr]k_(live|test|prod)_[A-Za-z0-9]{10,}"#, #"whsec_[A-Za-z0-9+/]{24,}={0,2}"#),
    token(
      "google-key", "API keys, OAuth tokens and client secrets of Google",
      #"\bAIza[A-Za-z0-9_\-]{35}"#, #"\bya29\.[A-Za-z0-9_\-.]{20,}"#, #"GOCSPX-[A-Za-z0-9_\-]{20,}"#
    ),
    SecretRule(
      id: "ai-key", summary: "keys of the form `sk-…`: OpenAI, Anthropic, DeepSeek, OpenRouter",
      patterns: [#"\bsk-[A-Za-z0-9_\-]{20,}"#], check: .mixed),
    token("huggingface-token", "tokens of Hugging Face", #"\bhf_[A-Za-z0-9]{30,}"#),
    token("npm-token", "tokens of npm", #"npm_[A-Za-z0-9]{36}"#),
    token("pypi-token", "tokens of PyPI", #"pypi-[A-Za-z0-9_\-]{40,}"#),
    token("rubygems-key", "keys of RubyGems", #"rubygems_[a-f0-9]{48}"#),
    token("docker-token", "tokens of Docker", #"dckr_(pat|oat)_[A-Za-z0-9_\-]{20,}"#),
    token("digitalocean-token", "tokens of DigitalOcean", #"do[opr]_v1_[a-f0-9]{64}"#),
    token("twilio-key", "API keys of Twilio", #"\bSK[0-9a-f]{32}\b"#),
    token(
      "sendgrid-key", "keys of SendGrid", #"\bSG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64}"#),
    token("mailgun-key", "keys of Mailgun", #"\bkey-[0-9a-f]{32}\b"#),
    token("telegram-token", "tokens of bots of Telegram", #":AA\K[A-Za-z0-9_\-]{33}\b"#),
    token(
      "discord-webhook", "webhooks of Discord",
      #"\\?/api\\?/webhooks\\?/[0-9]{10,25}\\?/\K[A-Za-z0-9_\-]{40,}"#),
    token("vault-token", "tokens of Vault", #"\bhv[sbr]\.[A-Za-z0-9_\-]{24,}"#),
    token("terraform-token", "tokens of Terraform", #"atlasv1\.[A-Za-z0-9_\-=]{50,}"#),
    token("atlassian-token", "tokens of Atlassian", #"ATATT3[A-Za-z0-9_\-=]{60,}"#),
    token("shopify-token", "tokens of Shopify", #"\bshp(at|ca|pa|ss)_[a-fA-F0-9]{32}"#),
    token("databricks-token", "tokens of Databricks", #"\bdapi[a-f0-9]{32}(-[0-9]+)?"#),
    token("grafana-token", "tokens of Grafana", #"\bgl(sa|c)_[A-Za-z0-9_+/=]{32,}"#),
    token("sentry-token", "tokens of Sentry", #"\bsntry[su]_[A-Za-z0-9_+/=]{40,}"#),
    token("linear-key", "keys of Linear", #"lin_(api|oauth)_[A-Za-z0-9]{32,}"#),
    token("newrelic-key", "keys of New Relic", #"\bNR(AK|II|JS|RA)-[A-Za-z0-9]{20,}"#),
    token("postman-key", "keys of Postman", #"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"#),
    token("square-token", "tokens of Square", #"\bsq0[a-z]{3}-[A-Za-z0-9_\-]{22,}"#),
    token("fly-token", "tokens of Fly.io", #"\bfm[12][a-z]?_[A-Za-z0-9+/=]{60,}"#),
  ]
}
